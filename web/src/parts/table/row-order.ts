/** The columns that rows are sorted by, the most important one first. */
export type Sort = { readonly id: string; readonly isDown: boolean }

/** How a column sorts and finds rows. */
export type RowColumn<Row> = {
  readonly id: string
  /** What rows are sorted by. */
  readonly key: (row: Row) => string | number
  /** The plain text, for the filter and the CSV. */
  readonly text: (row: Row) => string
  /** What the cell shows in other words than `text`: the filter finds them too. */
  readonly words?: (row: Row) => string
  /** `key` or `text` depend on more than the row, such as a price: they are computed for each change of what they read. */
  readonly isLive?: true
}

type Key = string | number

type Entry<Row> = {
  readonly row: Row
  /** The place in the list before it is sorted. */
  index: number
  keys: readonly Key[] | undefined
  /** The text of the columns that depend on the row alone. */
  text: string | undefined
}

/** What decides which rows there are, and in which order. */
export type RowChoice<Row> = {
  /** The columns that the filter searches. */
  readonly columns: readonly RowColumn<Row>[]
  readonly allColumns: readonly RowColumn<Row>[]
  readonly filter: string
  readonly sorts: readonly Sort[]
}

/**
 * How this works: a message changes a few of ten thousand rows. Keys and texts are computed once for each row object. The next
 * sort begins with the last order, in which all unchanged rows are sorted already, so it compares neighbours and places the
 * others. Rows that are equal keep their order.
 */
export class RowOrder<Row> {
  #entries = new Map<Row, Entry<Row>>()
  #sorted: readonly Entry<Row>[] = []
  #rows: readonly Row[] = []
  #choice: RowChoice<Row> | undefined

  /** The rows that have every word of the filter in one of their columns, sorted. */
  update(rows: readonly Row[], choice: RowChoice<Row>): readonly Row[] {
    this.#take(rows, choice)
    const found = matching([...this.#entries.values()], choice)
    this.#sorted = this.#sortedFrom(found, choice)
    const isSame =
      this.#sorted.length === this.#rows.length &&
      this.#sorted.every(({ row }, index) => row === this.#rows[index])
    if (!isSame) this.#rows = this.#sorted.map(({ row }) => row)
    return this.#rows
  }

  #take(rows: readonly Row[], choice: RowChoice<Row>): void {
    const before = this.#choice
    const hasKeys = before?.sorts === choice.sorts
    const hasTexts = before?.columns === choice.columns
    const known = this.#entries
    this.#entries = new Map()
    for (const [index, row] of rows.entries()) {
      const entry = known.get(row) ?? { row, index, keys: undefined, text: undefined }
      entry.index = index
      if (!hasKeys) entry.keys = undefined
      if (!hasTexts) entry.text = undefined
      this.#entries.set(row, entry)
    }
    this.#choice = choice
  }

  #sortedFrom(found: readonly Entry<Row>[], { allColumns, sorts }: RowChoice<Row>): readonly Entry<Row>[] {
    const by = sortedBy(allColumns, sorts)
    if (by.length === 0) return found
    const isLive = by.some(({ column }) => column.isLive)
    for (const entry of found)
      if (isLive || entry.keys === undefined) entry.keys = by.map(({ column }) => column.key(entry.row))
    const left = new Set(found)
    const kept = this.#sorted.filter((entry) => left.delete(entry))
    const signs = by.map(({ sign }) => sign)
    return [...kept, ...left].sort((a, b) => compared(a, b, signs))
  }
}

function compared<Row>(a: Entry<Row>, b: Entry<Row>, signs: readonly number[]): number {
  for (let at = 0; at < signs.length; at += 1) {
    const [left, right] = [a.keys![at]!, b.keys![at]!]
    if (left !== right) return left < right ? -signs[at]! : signs[at]!
  }
  return a.index - b.index
}

const sortedBy = <Row>(columns: readonly RowColumn<Row>[], sorts: readonly Sort[]) =>
  sorts.flatMap(({ id, isDown }) => {
    const column = columns.find((one) => one.id === id)
    return column ? [{ column, sign: isDown ? -1 : 1 }] : []
  })

function matching<Row>(
  entries: readonly Entry<Row>[],
  { columns, filter }: RowChoice<Row>,
): readonly Entry<Row>[] {
  // Cells show 1,440.87; the plain text is 1440.87.
  const plain = filter.toLowerCase().replaceAll(/(?<=\d),(?=\d{3})/g, '')
  const words = plain.split(/\s+/).filter(Boolean)
  if (words.length === 0) return entries
  const live = columns.filter(({ isLive }) => isLive)
  const others = columns.filter(({ isLive }) => !isLive)
  return entries.filter((entry) => {
    entry.text ??= textOf(entry.row, others)
    const text = live.length === 0 ? entry.text : `${entry.text}\n${textOf(entry.row, live)}`
    return words.every((word) => text.includes(word))
  })
}

const textOf = <Row>(row: Row, columns: readonly RowColumn<Row>[]): string =>
  columns
    .map((column) => `${column.text(row)}\n${column.words?.(row) ?? ''}`)
    .join('\n')
    .toLowerCase()

/** Whether the order depends on more than the rows. */
export const isLiveChoice = <Row>({ columns, allColumns, filter, sorts }: RowChoice<Row>): boolean =>
  sortedBy(allColumns, sorts).some(({ column }) => column.isLive) ||
  (filter !== '' && columns.some(({ isLive }) => isLive))
