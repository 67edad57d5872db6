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
  /** The update in which the row was in the list. */
  update: number
  keys: readonly Key[] | undefined
  /** The text of the columns that depend on the row alone. */
  text: string | undefined
  /** Whether the row has every word of the filter; undefined: not looked at yet. */
  isFound: boolean | undefined
  /** The last update in which the row was found. */
  found: number
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
 * How this works: a message changes a few of ten thousand rows. Keys, texts and what the filter finds are computed once for
 * each row object. The rows that stay are sorted already, which one pass checks; the others are sorted alone and put between
 * them. Rows that are equal keep their order.
 */
export class RowOrder<Row> {
  readonly #entries = new Map<Row, Entry<Row>>()
  #sorted: readonly Entry<Row>[] = []
  #rows: readonly Row[] = []
  #choice: RowChoice<Row> | undefined
  #update = 0
  /** Whether the rows are sorted by the same columns as before. */
  #hasKeys = false

  /** The rows that have every word of the filter in one of their columns, sorted. */
  update(rows: readonly Row[], choice: RowChoice<Row>): readonly Row[] {
    const listed = this.#take(rows, choice)
    const wanted = choice.filter === '' ? undefined : filterOf(choice)
    const found = wanted ? listed.filter(wanted) : listed
    this.#sorted = this.#sortedFrom(found, choice)
    const isSame =
      this.#sorted.length === this.#rows.length &&
      this.#sorted.every(({ row }, index) => row === this.#rows[index])
    if (!isSame) this.#rows = this.#sorted.map(({ row }) => row)
    return this.#rows
  }

  /** The entries of the rows that are listed now. Those of other rows are forgotten. */
  #take(rows: readonly Row[], choice: RowChoice<Row>): readonly Entry<Row>[] {
    const before = this.#choice
    this.#choice = choice
    const [hasKeys, hasTexts] = [before?.sorts === choice.sorts, before?.columns === choice.columns]
    this.#hasKeys = hasKeys
    const hasFound = hasTexts && before?.filter === choice.filter
    this.#update += 1
    const listed: Entry<Row>[] = []
    let index = 0
    for (const row of rows) {
      const entry = this.#entries.get(row) ?? newEntry(row)
      if (entry.update === this.#update) continue
      if (entry.update === 0) this.#entries.set(row, entry)
      listed.push(entry)
      entry.index = index++
      entry.update = this.#update
      if (!hasKeys) entry.keys = undefined
      if (!hasTexts) entry.text = undefined
      if (!hasFound) entry.isFound = undefined
    }
    if (this.#entries.size > listed.length)
      for (const [row, entry] of this.#entries) if (entry.update < this.#update) this.#entries.delete(row)
    return listed
  }

  #sortedFrom(found: readonly Entry<Row>[], { allColumns, sorts }: RowChoice<Row>): readonly Entry<Row>[] {
    const [before, now] = [this.#update - 1, this.#update]
    const added = found.filter((entry) => entry.found !== before)
    for (const entry of found) entry.found = now
    const by = sortedBy(allColumns, sorts)
    if (by.length === 0) return found
    const isLive = by.some(({ column }) => column.isLive)
    const hadKeys = !isLive && this.#hasKeys
    for (const entry of found)
      if (isLive || entry.keys === undefined) entry.keys = by.map(({ column }) => column.key(entry.row))
    const signs = by.map(({ sign }) => sign)
    const compare: Compare<Row> = (a, b) => compared(a, b, signs)
    const kept = this.#sorted.filter((entry) => entry.found === now)
    // With the keys of the last order only rows with the same keys can have changed places.
    const isSorted = kept.every(
      (entry, at) =>
        at === 0 ||
        (hadKeys && kept[at - 1]!.keys![0] !== entry.keys![0]) ||
        compare(kept[at - 1]!, entry) < 0,
    )
    return isSorted ? merged(kept, added.sort(compare), compare) : found.toSorted(compare)
  }
}

const newEntry = <Row>(row: Row): Entry<Row> => ({
  row,
  index: 0,
  update: 0,
  keys: undefined,
  text: undefined,
  isFound: undefined,
  found: -1,
})

type Compare<Row> = (a: Entry<Row>, b: Entry<Row>) => number

/** Two sorted lists as one. */
function merged<Row>(
  kept: readonly Entry<Row>[],
  added: readonly Entry<Row>[],
  compare: Compare<Row>,
): readonly Entry<Row>[] {
  const all: Entry<Row>[] = []
  let from = 0
  for (const entry of added) {
    const at = placeOf(entry, kept, from, compare)
    while (from < at) all.push(kept[from++]!)
    all.push(entry)
  }
  while (from < kept.length) all.push(kept[from++]!)
  return all
}

/** The place in a sorted list before which an entry belongs. */
function placeOf<Row>(
  entry: Entry<Row>,
  sorted: readonly Entry<Row>[],
  first: number,
  compare: Compare<Row>,
): number {
  let [low, high] = [first, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (compare(sorted[middle]!, entry) < 0) low = middle + 1
    else high = middle
  }
  return low
}

function compared<Row>(a: Entry<Row>, b: Entry<Row>, signs: readonly number[]): number {
  for (let at = 0; at < signs.length; at += 1) {
    const left = a.keys![at]!
    const right = b.keys![at]!
    if (left !== right) return left < right ? -signs[at]! : signs[at]!
  }
  return a.index - b.index
}

const sortedBy = <Row>(columns: readonly RowColumn<Row>[], sorts: readonly Sort[]) =>
  sorts.flatMap(({ id, isDown }) => {
    const column = columns.find((one) => one.id === id)
    return column ? [{ column, sign: isDown ? -1 : 1 }] : []
  })

/** Whether an entry has every word of the filter. */
function filterOf<Row>({ columns, filter }: RowChoice<Row>): (entry: Entry<Row>) => boolean {
  // Cells show 1,440.87; the plain text is 1440.87.
  const plain = filter.toLowerCase().replaceAll(/(?<=\d),(?=\d{3})/g, '')
  const words = plain.split(/\s+/).filter(Boolean)
  const live = columns.filter(({ isLive }) => isLive)
  const others = columns.filter(({ isLive }) => !isLive)
  return (entry) => {
    if (live.length === 0 && entry.isFound !== undefined) return entry.isFound
    entry.text ??= textOf(entry.row, others)
    const text = live.length === 0 ? entry.text : `${entry.text}\n${textOf(entry.row, live)}`
    entry.isFound = words.every((word) => text.includes(word))
    return entry.isFound
  }
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
