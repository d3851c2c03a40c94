"""The gateway: two-stage search over HTTP that stays up, says what it did, and logs what it showed."""
