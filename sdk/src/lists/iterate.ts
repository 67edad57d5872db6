import {
  type Call,
  type CallOptions,
  type Client,
  type OperationName,
  type Output,
  routes,
} from '../contract.ts'
import { sortableTime } from '../records/sortable-time.ts'

type PageOf<Row> = readonly Row[] | { readonly next_page_token: unknown } | { readonly next_cursor: unknown }

/** The operations that return a list. */
export type ListName = Exclude<
  { [Name in OperationName]: Output<Name> extends PageOf<unknown> ? Name : never }[OperationName],
  `cancel${string}` | `close${string}`
>

/** A row of a list. Rows that are listed by symbol have their `symbol`, corporate actions their `type`. */
export type ListRow<Name extends ListName> =
  Output<Name> extends readonly (infer Row)[] ? Row : RowIn<Lists<Output<Name>>>
type Lists<Page> = Omit<Page, 'next_page_token' | 'next_cursor' | 'symbol' | 'currency'>
type RowIn<Page> = Page[keyof Page] extends readonly (infer Row)[] ? Row : RowOfMap<Page[keyof Page]>
type RowOfMap<Rows> = { readonly symbol: string } & RowOf<Rows[keyof Rows]>
type RowOf<Value> = Value extends readonly (infer Row)[] ? Row : Value

type Query = Readonly<Record<string, unknown>>
type ListCall = { readonly query?: Query }

/** Yields the rows of a list, page by page. A position that comes again ends it. */
export async function* iterate<Name extends ListName>(
  client: Client,
  name: Name,
  call?: Call<Name>,
  options: CallOptions = {},
): AsyncGenerator<ListRow<Name>, undefined> {
  const read = client[name] as unknown as (call: ListCall, options: CallOptions) => Promise<unknown>
  const given = (call ?? {}) as ListCall
  const seen = new Set<string>()
  for (let query: Query | undefined = firstQuery(name, given.query); query !== undefined; ) {
    const page = await read({ ...given, query }, options)
    const rows = rowsOf(name, page)
    for (const row of rows) {
      if (isBeyond(name, row, given.query)) return undefined
      yield row as ListRow<Name>
    }
    query = nextQuery(name, query, { page, last: rows.at(-1) })
    const position = JSON.stringify(query ?? '')
    if (seen.has(position)) return undefined
    seen.add(position)
  }
  return undefined
}

/** All items of an iterator, or the first ones. */
export async function collect<Item>(
  items: AsyncIterable<Item>,
  max = Number.POSITIVE_INFINITY,
): Promise<Item[]> {
  const collected: Item[] = []
  if (max <= 0) return collected
  for await (const item of items) {
    collected.push(item)
    if (collected.length >= max) break
  }
  return collected
}

type Row = Query
const ORDERS_MAX = 500
const isOrders = (name: OperationName): boolean => routes[name].query.includes('before_order_id')

const firstQuery = (name: OperationName, query: Query = {}): Query =>
  isOrders(name) ? { limit: ORDERS_MAX, ...query } : query

function rowsOf(name: OperationName, page: unknown): readonly Row[] {
  if (Array.isArray(page)) return page
  const lists = Object.values(page as Query).find((value) => typeof value === 'object' && value !== null)
  if (Array.isArray(lists)) return lists
  const key = name.startsWith('corporateActions') ? 'type' : 'symbol'
  return Object.entries(lists ?? {}).flatMap(([value, rows]) =>
    [rows].flat().map((row) => ({ [key]: value, ...(row as Row) })),
  )
}

type ReadPage = { readonly page: unknown; readonly last: Row | undefined }

/** The query of the next page; undefined after the last one. */
function nextQuery(name: OperationName, query: Query, { page, last }: ReadPage): Query | undefined {
  const { next_page_token: token, next_cursor: cursor } = page as Query
  if (token) return { ...query, page_token: token }
  if (cursor) {
    const { last: _, ...rest } = query
    return { ...rest, cursor }
  }
  if (!Array.isArray(page) || last === undefined) return undefined
  if (routes[name].query.includes('page_token')) return { ...query, page_token: idOf(last) }
  if (!isOrders(name) || page.length < Number(query['limit'])) return undefined
  // A position and a time exclude each other.
  const { after: _, until: __, before_order_id: ___, after_order_id: ____, ...rest } = query
  return { ...rest, [query['direction'] === 'asc' ? 'after_order_id' : 'before_order_id']: last['id'] }
}

const idOf = (row: Row): unknown => row['id'] ?? row['account_id'] ?? row['client_id'] ?? row['grant_id']

/** Whether an order is outside the times of the query, which only the first page has. */
function isBeyond(name: OperationName, row: Row, { after, until, direction }: Query = {}): boolean {
  if (!isOrders(name)) return false
  const at = sortableTime(row['submitted_at'] as string)
  if (direction === 'asc') return until != null && at >= sortableTime(until as string)
  return after != null && at <= sortableTime(after as string)
}
