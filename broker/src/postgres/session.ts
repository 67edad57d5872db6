/** A statement waits this share of its timeout for a lock; then the server reports an error. */
const LOCK_SHARE = 0.8

/**
 * The settings of each connection, whatever those of the role and of the database are:
 *   - commits wait for the disk and the standby; a stronger setting stays
 *   - a statement waits for another transaction instead of failing because of it
 *   - the server reports a canceled wait for the standby, and cancels none itself: it would confirm the commit
 *   - an idle world keeps its connection
 *   - values have the form that the driver writes and reads
 *   - the server stops waiting for a lock, so that abandoned statements do not use up its connections
 * Statements, because poolers refuse unknown parameters of a connection. A setting that the server does not have is skipped.
 */
export const sessionSettings = (timeoutMs: number): string => `
  SELECT count(set_config(name, value, false)) >= 0 AS done FROM (VALUES
    ('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END),
    ('default_transaction_isolation', 'read committed'),
    ('client_min_messages', 'warning'), ('statement_timeout', '0'), ('transaction_timeout', '0'),
    ('idle_session_timeout', '0'),
    ('array_nulls', 'on'), ('datestyle', 'ISO, MDY'),
    ('lock_timeout', '${timeoutMs * LOCK_SHARE}ms')
  ) AS wanted (name, value) WHERE current_setting(name, true) <> value`
