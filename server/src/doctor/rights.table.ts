/** The rights that the role of the server needs on each table. Only a migration needs more: it creates tables. */
export const tableRights: Readonly<Record<string, readonly string[]>> = {
  quipu_meta: ['SELECT'],
  quipu_journals: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  // Events are added, and deleted with their world, but never changed.
  quipu_events: ['SELECT', 'INSERT', 'DELETE'],
  quipu_segments: ['SELECT', 'INSERT', 'DELETE'],
  quipu_snapshots: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  quipu_query_tables: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  quipu_orders: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  quipu_requests: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  quipu_history: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  quipu_updates: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  quipu_addresses: ['SELECT', 'INSERT', 'DELETE'],
  quipu_key_uses: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  quipu_refusals: ['SELECT', 'INSERT', 'DELETE'],
  quipu_backups: ['SELECT', 'INSERT', 'UPDATE'],
  quipu_nodes: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  quipu_worlds: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
}
