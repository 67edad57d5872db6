/** One line of the table: what was measured, what came out, and what is to be reached. */
export type Row = {
  /** The figure's letter. */
  readonly row: string
  readonly name: string
  readonly value: number
  readonly goal: string
}

export type Size = {
  readonly rounds: number
  readonly calls: number
  /** Orders in store, where a row is about many of them. */
  readonly orders: number
}
