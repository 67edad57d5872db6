/** The bytes of a stored world. Absent: not stored, or not known per world. */
export type StoreSize = {
  readonly kind: 'files' | 'postgres'
  readonly journalBytes?: number | undefined
  readonly queryTablesBytes?: number | undefined
  readonly snapshotsBytes?: number | undefined
}
