/** One line of the table: the figure, its measured value and its goal. */
export type Row = {
  /** The name of the figure's row. */
  readonly row: string
  readonly name: string
  readonly value: number
  readonly goal: string
}

/** Makes the lines of one row. */
export const rowsWith =
  (row: string) =>
  (name: string, value: number, goal = ''): Row => ({ row, name, value, goal })

export type Size = {
  readonly rounds: number
  readonly calls: number
  /** Stored orders, for rows that measure a large store. */
  readonly orders: number
  /** Row (x) measures only the readers whose name has this text. */
  readonly beside: string
}
