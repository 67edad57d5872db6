import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { encode } from '@quipu/core'
import { mainPaths } from '../../broker/src/data-folder/folder-layout.ts'
import type { JournalPosition } from '../../broker/src/journal/journal.ts'
import { JournalReader } from '../../broker/src/journal/reader.ts'
import { storedKind } from '../../broker/src/journal/stored-event.ts'
import { verifyJournal } from '../../broker/src/journal/walk.ts'
import { Projection } from '../../broker/src/query-tables/projection.ts'
import { rebuildQueryTables } from '../../broker/src/query-tables/rebuild.ts'
import { orderRecords, type Records, requestRecords } from '../../broker/src/query-tables/records.ts'
import { type ReadableTable, readableRows } from '../../broker/src/query-tables/sqlite/database.ts'
import { MAIN } from '../../broker/src/registry/worlds.ts'
import { type AccountState, accountStateOf } from '../bad-days/checks.ts'
import { type Body, call, callAsOperator, newFolder, type Started } from '../support/broker.ts'
import { liveKey, revokedKey, tokens } from './history.ts'

/** A journal read without a server: its end, its events and the state they lead to. */
export type JournalSummary = JournalPosition & {
  /** Number of events by kind. */
  readonly kinds: Readonly<Record<string, number>>
  /** Every balance that is not zero, by ledger account and asset, in billionths. */
  readonly balances: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Every row of the query tables. */
  readonly rows: { readonly orders: readonly unknown[]; readonly requests: readonly unknown[] }
}

/** Responses of a server that runs on the data folder. */
export type RecordedResponses = {
  readonly paper: AccountState
  readonly live: AccountState
  readonly keys: readonly Body[]
  /** Status of a request with each credential. */
  readonly statuses: Readonly<Record<string, number>>
}

export async function summarizeJournal(data: string): Promise<JournalSummary> {
  const journalFolder = mainPaths(data).journal
  const { head, tornBytes, damage } = await verifyJournal(journalFolder)
  if (tornBytes > 0 || damage) throw new Error(`${data}: the journal is damaged`)
  const projection = new Projection()
  const kinds: Record<string, number> = {}
  const reader = new JournalReader(journalFolder)
  for await (const group of reader.read(0, head.seq)) {
    projection.take(group)
    for (const entry of group) kinds[storedKind(entry)] = (kinds[storedKind(entry)] ?? 0) + 1
  }
  await reader.close()
  const balances = [...projection.state.ledger].map(([account, holdings]) => [
    account,
    Object.fromEntries(
      [...holdings].filter(([, sum]) => sum !== 0n).map(([asset, sum]) => [asset, `${sum}`]),
    ),
  ])
  return { ...head, kinds, balances: Object.fromEntries(balances), rows: await rowsOf(journalFolder, head) }
}

async function rowsOf(journalFolder: string, head: JournalPosition): Promise<JournalSummary['rows']> {
  const file = join(newFolder(), 'query-tables.sqlite')
  await rebuildQueryTables({ world: MAIN, file, journalFolder, head })
  const database = new DatabaseSync(file, { readOnly: true })
  const all = (table: ReadableTable, { read }: Pick<Records<unknown>, 'read'>): readonly unknown[] =>
    database
      .prepare(readableRows(table, 'record'))
      .all()
      .map(({ world: _, ...row }) => ({
        ...row,
        record: JSON.parse(encode(read(row['record'] as Uint8Array))),
      }))
      // A request also has a row under the account of its issuer.
      .filter((row) => row.record.accountId === (row as Record<string, unknown>)['account'])
  const rows = { orders: all('orders', orderRecords), requests: all('requests', requestRecords) }
  database.close()
  return rows
}

export async function responsesOf(broker: Started): Promise<RecordedResponses> {
  const keys = await callAsOperator(broker, 'GET', '/sim/v1/worlds/main/keys')
  const bearer = (token: string) => ({ ...broker, keyId: '', secretKey: '', token })
  return {
    paper: await accountStateOf(broker),
    live: await accountStateOf({ ...broker, ...liveKey }),
    keys: keys.body.map(({ last_used_at: _, ...key }: Body) => key),
    statuses: {
      'the revoked key': (await call({ ...broker, ...revokedKey }, 'GET', '/v2/account')).status,
      'the token by code': await statusOf(bearer(tokens.byCode)),
      'the direct token': await statusOf(bearer(tokens.direct)),
      'the revoked token': await statusOf(bearer(tokens.revoked)),
    },
  }
}

async function statusOf({ url, token }: { readonly url: string; readonly token: string }): Promise<number> {
  const headers = { Authorization: `Bearer ${token}` }
  const response = await fetch(`${url}/v2/account`, { headers })
  await response.arrayBuffer()
  return response.status
}
