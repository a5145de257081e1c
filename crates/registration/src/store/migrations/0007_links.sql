-- How many links to what agents hold there are, counted with each that comes or goes. It is never over.
INSERT INTO counter (bucket, count, expires_at)
    SELECT 'links', COUNT(*), 9223372036854775807 FROM access_link;
