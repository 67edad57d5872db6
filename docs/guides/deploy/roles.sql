-- Two roles for Quipu, and a database. Run it once, as a superuser:
--   psql --set=ON_ERROR_STOP=1 --file=roles.sql
-- quipu_owner creates the tables and changes them for a new version. quipu_server is the role of running servers: it
-- works on rows only. Set both passwords afterwards with \password, which sends no plain text.
CREATE ROLE quipu_owner LOGIN;
CREATE ROLE quipu_server LOGIN;
CREATE DATABASE quipu OWNER quipu_owner ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE quipu FROM PUBLIC;
GRANT CONNECT ON DATABASE quipu TO quipu_server;
-- They see which servers are connected, and how far standbys are behind.
GRANT pg_read_all_stats TO quipu_owner, quipu_server;
