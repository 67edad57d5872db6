import assert from 'node:assert/strict'
import { cpSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { JournalReader } from '../../server/src/journal/reader.ts'
import { Projection } from '../../server/src/views/projection.ts'
import { assertSound, type Head, settled } from '../bad-days/checks.ts'
import { load, newMemory } from '../bad-days/load.ts'
import { type Picture, pictureOf } from '../bad-days/picture.ts'
import { type Body, newFolder, startBroker } from '../broker.ts'
import { command } from '../quipu-command.ts'
import type { Result } from '../quipu-process.ts'
import { Random, seed } from '../random.ts'

/** A data folder with some history, left in order, and a backup of it. */
export type Kept = {
  readonly data: string
  readonly backup: string
  /** What its account saw, where its journal ended, and what no backup may hold unasked. */
  readonly was: Picture
  readonly head: Head
  readonly secret: string
}

let made: Promise<Kept> | undefined

/** The same folder for every spec of a process. A test that changes it works on a copy. */
export function keptFolder(): Promise<Kept> {
  made ??= makeKept()
  return made
}

async function makeKept(): Promise<Kept> {
  const [data, backup] = [join(newFolder(), 'data'), join(newFolder(), 'backups', 'kept')]
  const broker = await startBroker(['--data', data])
  const memory = newMemory()
  const random = new Random(seed, 'store')
  await load({ broker, random, memory, name: 'kept' }, 8, () => memory.orders.size > 120)
  // What is still under way would go on after the next start.
  while ((await settled(broker)).mints.some(({ status }) => status === 'pending')) await sleep(200)
  const was = await pictureOf(broker)
  const head = await assertSound(broker)
  assert.equal(await broker.stop(), 0)
  await answered('backup', backup, '--data', data)
  return { data, backup, was, head, secret: broker.secretKey }
}

export const store = (verb: string, ...rest: readonly string[]): Promise<Result> =>
  command(['store', verb, '--json', ...rest])

/** What a command that must succeed says. */
export async function answered(verb: string, ...rest: readonly string[]): Promise<Body> {
  const { code, stdout, stderr } = await store(verb, ...rest)
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

export function copyOf(folder: string): string {
  const copy = join(newFolder(), 'copy')
  cpSync(folder, copy, { recursive: true })
  return copy
}

/** How many rows the views of a kept folder have: of orders, of mints, and of what changed the accounts' holdings. */
export async function rowsOf({ data, was, head }: Kept): Promise<number> {
  const projection = new Projection()
  const reader = new JournalReader(journalOf(data))
  // A mint stands with its participant and with its issuer.
  let rows = was.orders.length + 2 * was.mints.length
  for await (const entries of reader.read(0, head.seq))
    rows += projection.take(entries).history.filter(({ part }) => part !== 'updates').length
  await reader.close()
  return rows
}

export const journalOf = (folder: string): string => join(folder, 'journal')
export const firstFile = (folder: string): string => globSync(join(journalOf(folder), '*.qj')).sort()[0]!

/** Changes a byte of some event in the middle. */
export function flip(folder: string): void {
  const file = firstFile(folder)
  const bytes = readFileSync(file)
  const place = bytes.indexOf('"orderFilled"', Math.floor(bytes.lastIndexOf('"orderFilled"') / 2))
  bytes[place + 3] = bytes[place + 3]! ^ 1
  writeFileSync(file, bytes)
}

/** Every file below a folder with its content; the lock is whoever looks at it. */
export function contentOf(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('lock'))
    .map((entry) => join(entry.parentPath, entry.name))
  return new Map(files.sort().map((file) => [file, readFileSync(file, 'latin1')]))
}
