-- When a registration that waits for a person is over; it is told once, and then there is nothing to wait for.
ALTER TABLE registration ADD COLUMN expires_at BIGINT NOT NULL DEFAULT 9223372036854775807;
CREATE INDEX registration_expires ON registration (expires_at);
