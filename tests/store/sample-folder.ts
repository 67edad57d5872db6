import assert from 'node:assert/strict'
import { cpSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { JournalReader } from '../../broker/src/journal/reader.ts'
import { Projection } from '../../broker/src/query-tables/projection.ts'
import {
  type AccountState,
  accountStateOf,
  assertSound,
  type Head,
  settledOrders,
} from '../bad-days/checks.ts'
import { load, newClientRecords } from '../bad-days/load.ts'
import { type Body, newFolder, startBroker } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'
import type { Result } from '../support/quipu-process.ts'
import { Random, seed } from '../support/random.ts'

/** A data folder with some history after a clean stop, and a backup of it. */
export type SampleFolder = {
  readonly data: string
  readonly backup: string
  readonly account: AccountState
  readonly head: Head
  /** Must not be in a backup without `--with-credentials`. */
  readonly secret: string
}

let created: Promise<SampleFolder> | undefined

/** The same folder for every spec of a process. A test that changes it works on a copy. */
export function sampleFolder(): Promise<SampleFolder> {
  created ??= createSample()
  return created
}

async function createSample(): Promise<SampleFolder> {
  const [data, backup] = [join(newFolder(), 'data'), join(newFolder(), 'backups', 'kept')]
  const broker = await startBroker(['--data', data])
  const records = newClientRecords()
  const random = new Random(seed, 'store')
  await load({ broker, random, records, name: 'kept' }, 8, () => records.orders.size > 120)
  // A pending mint would continue after the next start.
  while ((await settledOrders(broker)).mints.some(({ status }) => status === 'pending')) await sleep(200)
  const account = await accountStateOf(broker)
  const head = await assertSound(broker)
  assert.equal(await broker.stop(), 0)
  await runStore('backup', backup, '--data', data)
  return { data, backup, account, head, secret: broker.secretKey }
}

export const store = (verb: string, ...rest: readonly string[]): Promise<Result> =>
  command(['store', verb, '--json', ...rest])

/** Runs a command that must succeed and returns its output. */
export async function runStore(verb: string, ...rest: readonly string[]): Promise<Body> {
  const { code, stdout, stderr } = await store(verb, ...rest)
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

export function copyOf(folder: string): string {
  const copy = join(newFolder(), 'copy')
  cpSync(folder, copy, { recursive: true })
  return copy
}

/** The number of rows in the query tables of the folder: orders, mints and history entries. */
export async function rowsOf({ data, account, head }: SampleFolder): Promise<number> {
  const projection = new Projection()
  const reader = new JournalReader(journalOf(data))
  // A mint has one row for its account and one for its issuer.
  let rows = account.orders.length + 2 * account.mints.length
  for await (const entries of reader.read(0, head.seq)) rows += projection.take(entries).history.length
  await reader.close()
  return rows
}

export const journalOf = (folder: string): string => join(folder, 'journal')
export const firstFile = (folder: string): string => globSync(join(journalOf(folder), '*.qj')).sort()[0]!

/** Changes a byte of an event in the middle of the journal. */
export function flip(folder: string): void {
  const file = firstFile(folder)
  const bytes = readFileSync(file)
  const offset = middleOf(bytes)
  bytes[offset] = bytes[offset]! ^ 1
  writeFileSync(file, bytes)
}

/** The offset of a byte inside an event, in the middle of a journal file. */
export function middleOf(bytes: Buffer): number {
  const record = bytes.indexOf('\x1equipu ', Math.floor(bytes.lastIndexOf('\x1equipu ') / 2))
  return bytes.indexOf('\n', record) + 4
}

/** The content of every file below a folder, except lock files, which readers create. */
export function contentOf(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('lock'))
    .map((entry) => join(entry.parentPath, entry.name))
  return new Map(files.sort().map((file) => [file, readFileSync(file, 'latin1')]))
}
