-- A provider's user is found in one tenant, and in all of them.
DROP INDEX registration_subject;
CREATE INDEX registration_subject ON registration (issuer, subject, tenant, id) WHERE issuer IS NOT NULL;
