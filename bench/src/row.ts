/** One line of the table: the figure, its measured value and its goal. */
export type Row = {
  /** The letter of the figure. */
  readonly row: string
  readonly name: string
  readonly value: number
  readonly goal: string
}

export type Size = {
  readonly rounds: number
  readonly calls: number
  /** Stored orders, for rows that measure a large store. */
  readonly orders: number
}
