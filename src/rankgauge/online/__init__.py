"""What real users do, in the same terms: experiments, interleaving, and user models fitted from logs."""
