-- Two roles for Quipu, and a database. Run it once, as a superuser; it may run again, and on an existing database:
--   psql --set=ON_ERROR_STOP=1 --file=roles.sql
-- quipu_owner creates the tables and changes them for a new version. quipu_server is the role of running servers: it
-- works on rows only. Set both passwords afterwards with \password, which sends no plain text.
-- \gexec runs each statement that the query returns: only what is missing is created.
SELECT format('CREATE ROLE %I LOGIN', name) FROM unnest(ARRAY['quipu_owner', 'quipu_server']) AS wanted (name)
  WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) \gexec
SELECT 'CREATE DATABASE quipu ENCODING ''UTF8'' TEMPLATE template0'
  WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'quipu') \gexec
ALTER DATABASE quipu OWNER TO quipu_owner;
REVOKE ALL ON DATABASE quipu FROM PUBLIC;
GRANT CONNECT ON DATABASE quipu TO quipu_server;
-- They see which servers are connected, and how far standbys are behind.
GRANT pg_read_all_stats TO quipu_owner, quipu_server;
