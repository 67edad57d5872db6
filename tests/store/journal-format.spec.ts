import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { type BrokerEvent, decode } from '@quipu/core'
import { openFilesJournal } from '../../broker/src/journal/files.ts'
import { storedEntry } from '../../broker/src/journal/stored-event.ts'
import { emptyFolder } from '../../broker/src/journal/testing/journal.ts'

// A second reader, written from docs/internals/journal.md without code of the product, as another program would be.

type Type = { readonly type: string } & Readonly<Record<string, unknown>>
type Fields = Readonly<Record<string, Type | { readonly optional: Type }>>
type Values = Record<string, unknown>

const kinds = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', '..', 'docs/reference/journal-events.json'), 'utf8'),
) as readonly { readonly kind: string; readonly fields: Fields }[]

class Bytes {
  readonly bytes: Buffer
  at = 0
  readonly #ids: string[] = []
  #first = 0n

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  take(length: number): Buffer {
    assert.ok(this.at + length <= this.bytes.length, 'the bytes end too early')
    return this.bytes.subarray(this.at, (this.at += length))
  }

  byte = (): number => this.take(1)[0]!

  number(): number {
    const byte = this.byte()
    return byte < 128 ? byte : byte - 128 + 128 * this.number()
  }

  text(): string {
    const number = this.number()
    return this.take(Math.floor(number / 2)).toString(number % 2 === 0 ? 'utf8' : 'utf16le')
  }

  integer(): bigint {
    const head = this.byte()
    const bytes = [...this.take(head % 64)].reverse()
    const unsigned = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
    return BigInt.asIntN(8 * bytes.length, unsigned) * [1n, 10n ** 7n, 10n ** 9n][head >> 6]!
  }

  instant(): bigint {
    const value = this.integer() + this.#first
    if (this.#first === 0n) this.#first = value
    return value
  }

  hex(): string {
    const digits = this.number()
    return digits === 1 ? this.text() : this.take(digits / 2).toString('hex')
  }

  id(): string {
    const head = this.byte()
    if (head >= 2) return this.#ids[head - 2]!
    const id =
      head === 1
        ? this.text()
        : this.take(16)
            .toString('hex')
            .replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    if (this.#ids.length < 16) this.#ids.push(id)
    return id
  }

  date(): string {
    const number = this.number()
    const digits = (part: number, width: number) => String(part).padStart(width, '0')
    return [digits(number >> 9, 4), digits((number >> 5) % 16, 2), digits(number % 32, 2)].join('-')
  }

  fields(fields: Fields): Values {
    const optional = Object.keys(fields).filter((name) => 'optional' in fields[name]!)
    const bits = optional.length > 0 ? this.number() : 0
    const there = Object.entries(fields).filter(
      ([name]) => !optional.includes(name) || (bits >> optional.indexOf(name)) % 2 === 1,
    )
    return Object.fromEntries(
      there.map(([name, type]) => [name, this.value('optional' in type ? (type.optional as Type) : type)]),
    )
  }

  value(type: Type): unknown {
    const some = (count: number, of: Type) => Array.from({ length: count }, () => this.value(of))
    switch (type.type) {
      case 'record':
        return this.fields(type['fields'] as Fields)
      case 'union': {
        const [name, variant] = Object.entries(type['variants'] as Record<string, Type>)[this.byte()]!
        return { [type['tag'] as string]: name, ...this.fields(variant['fields'] as Fields) }
      }
      case 'oneOf': {
        const [values, index] = [type['values'] as unknown[], this.byte()]
        return index < values.length ? values[index] : this.value(type['other'] as Type)
      }
      case 'nullable':
        return this.byte() === 0 ? null : this.value(type['of'] as Type)
      case 'list':
        return some(this.number(), type['of'] as Type)
      case 'tuple':
        return (type['of'] as Type[]).map((of) => this.value(of))
      case 'map':
        return new Map(
          Array.from({ length: this.number() }, () => [
            this.value(type['key'] as Type),
            this.value(type['value'] as Type),
          ]),
        )
      case 'pattern': {
        const pattern = (type['patterns'] as string[])[this.byte()]!
        return pattern.includes('*') ? pattern.replace('*', this.id()) : pattern
      }
      default:
        return this.simple(type.type)
    }
  }

  simple(type: string): unknown {
    switch (type) {
      case 'boolean':
        return this.byte() === 1
      case 'amount':
        return this.integer()
      case 'integer':
        return Number(this.integer())
      case 'number':
        return this.take(8).readDoubleLE()
      default:
        return this[type as 'text' | 'hex' | 'id' | 'date' | 'instant']()
    }
  }
}

/** The events of a journal file, and the hash at its end, for a journal of one segment. */
function readFile(file: string): { readonly events: readonly Values[]; readonly hash: string } {
  const bytes = readFileSync(file)
  const hash = createHash('sha256').update(Buffer.alloc(32))
  const events: Values[] = []
  let at = bytes.indexOf('\n') + 1
  while (bytes[at] === 0x1e) {
    const line = bytes.toString('latin1', at, bytes.indexOf('\n', at))
    const [, , , count, open, sealed, checksum] = line
      .split(' ')
      .map((word, index) => (index < 6 ? Number(word) : word))
    at += line.length + 1
    const payload = bytes.subarray(at, (at += Number(open) + Number(sealed) + 1))
    assert.equal(crc32(payload).toString(16).padStart(8, '0'), checksum)
    hash.update(payload.subarray(0, Number(open)))
    events.push(...eventsIn(payload, Number(open), Number(sealed), Number(count)))
  }
  return { events, hash: hash.digest('hex') }
}

function eventsIn(payload: Buffer, open: number, sealed: number, count: number): readonly Values[] {
  const parts = new Bytes(payload.subarray(0, open))
  const found = Array.from({ length: count }, () => {
    const event = new Bytes(parts.take(parts.number()))
    const { kind, fields } = kinds[event.byte()]!
    const { sealed: _, ...others } = fields
    const values = { kind, ...event.fields(others) }
    assert.equal(event.at, event.bytes.length)
    return values as Values
  })
  const rest = new Bytes(payload.subarray(open, open + sealed))
  while (rest.at < sealed) {
    const event = found[rest.number()]!
    const part = new Bytes(rest.take(rest.number()))
    const { fields } = kinds.find(({ kind }) => kind === event['kind'])!
    assert.equal(part.byte(), 4)
    const type = fields['sealed']!
    event['sealed'] = part.value('optional' in type ? (type.optional as Type) : type)
  }
  return found
}

test('another program reads the journal from its documentation', async () => {
  const story = readFileSync(
    join(import.meta.dirname, '..', '..', 'broker/src/query-tables/kept/story.jsonl'),
    'utf8',
  )
  const events = story
    .trimEnd()
    .split('\n')
    .map((line) => decode(line) as BrokerEvent)
  const folder = emptyFolder()
  const journal = await openFilesJournal(folder)
  for (let start = 0, size = 1; start < events.length; start += size++)
    await journal.append(events.slice(start, start + size).map((event) => storedEntry(event)))
  const { hash } = journal.head()
  await journal.close()
  assert.deepEqual(readFile(join(folder, '0000000000000001.qj')), { events, hash })
})
