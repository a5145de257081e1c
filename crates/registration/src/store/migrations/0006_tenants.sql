-- A provider's user is found in one tenant, and in all of them. The index before goes last, so that whoever reads need not wait.
CREATE INDEX registration_user ON registration (issuer, subject, tenant, id) WHERE issuer IS NOT NULL;
DROP INDEX registration_subject;
