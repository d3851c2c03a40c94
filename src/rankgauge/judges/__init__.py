"""Language models as judges: each call kept and paid once, each label with its source, each judge with its papers."""
