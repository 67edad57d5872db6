import { type AccountId, isOpen, type Order, publicStatus, type TokenizationRequest } from '@quipu/core'
import type { HistoryRow, UpdatesRow } from './history.ts'
import type { RequestRow } from './projection.ts'
import { orderRecords, requestRecords } from './records.ts'

/** Column values that differ by database: accounts, ids, client-chosen texts as keys, and booleans. */
export type ColumnTypes<Value> = {
  readonly owner: (accountId: AccountId) => Value
  readonly id: (id: string) => Value
  readonly key: (text: string) => Value
  readonly flag: (is: boolean) => Value
}

/** The columns of an order row, in table order, from the account on. */
export const orderRow = <Value>(order: Order, { owner, id, key, flag }: ColumnTypes<Value>) => {
  const parentId = order.group?.parentId
  return [
    owner(order.accountId),
    id(order.id),
    key(order.clientOrderId),
    order.submittedAt,
    order.createdAt,
    order.symbol,
    order.side,
    flag(isOpen(order)),
    parentId === undefined ? null : id(parentId),
    orderRecords.write(order),
  ]
}

/** The columns of a request row, in table order, from the account on. */
export const requestRow = <Value>(row: RequestRow, { owner, id, key }: ColumnTypes<Value>) => [
  owner(row.accountId),
  id(row.request.id),
  row.label === undefined ? null : key(row.label),
  ...requestColumns(row.request),
]

const requestColumns = (request: TokenizationRequest) => [
  request.createdAt,
  request.kind,
  publicStatus(request),
  request.underlying,
  request.issuer,
  request.network,
  requestRecords.write(request),
]

/** The columns of a history row, in table order, from the account on. */
export const historyRow = <Value>(
  { accountId, id, kind, record }: HistoryRow,
  { owner }: ColumnTypes<Value>,
) => [owner(accountId), id, kind, record]

/** The columns of an update row, in table order, from the account on. */
export const updatesRow = <Value>({ accountId, id, record }: UpdatesRow, { owner }: ColumnTypes<Value>) => [
  owner(accountId),
  id,
  record,
]
