-- The rights of quipu_server. Run it after each `quipu store migrate`, as quipu_owner; it may run again:
--   psql --set=ON_ERROR_STOP=1 --file=rights.sql postgres://quipu_owner@db.example.com/quipu
GRANT USAGE ON SCHEMA public TO quipu_server;
GRANT SELECT ON quipu_meta TO quipu_server;
GRANT SELECT, INSERT, UPDATE, DELETE ON quipu_journals, quipu_snapshots, quipu_query_tables, quipu_orders, quipu_requests,
  quipu_history, quipu_updates, quipu_key_uses, quipu_nodes, quipu_worlds TO quipu_server;
GRANT SELECT, INSERT, UPDATE ON quipu_backups TO quipu_server;
GRANT SELECT, INSERT, DELETE ON quipu_events, quipu_segments, quipu_addresses, quipu_refusals TO quipu_server;

-- The journal is append-only: no role but its owner changes an event, and nobody deletes events of main. The server
-- deletes the events of other worlds, because worlds can be deleted and reset.
ALTER TABLE quipu_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE quipu_segments ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS quipu_read ON quipu_events;
DROP POLICY IF EXISTS quipu_append ON quipu_events;
DROP POLICY IF EXISTS quipu_delete_world ON quipu_events;
DROP POLICY IF EXISTS quipu_read ON quipu_segments;
DROP POLICY IF EXISTS quipu_append ON quipu_segments;
DROP POLICY IF EXISTS quipu_delete_world ON quipu_segments;
CREATE POLICY quipu_read ON quipu_events FOR SELECT TO quipu_server USING (true);
CREATE POLICY quipu_append ON quipu_events FOR INSERT TO quipu_server WITH CHECK (true);
CREATE POLICY quipu_delete_world ON quipu_events FOR DELETE TO quipu_server USING (world <> 'main');
CREATE POLICY quipu_read ON quipu_segments FOR SELECT TO quipu_server USING (true);
CREATE POLICY quipu_append ON quipu_segments FOR INSERT TO quipu_server WITH CHECK (true);
CREATE POLICY quipu_delete_world ON quipu_segments FOR DELETE TO quipu_server USING (world <> 'main');
