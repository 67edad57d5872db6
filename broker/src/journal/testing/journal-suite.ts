import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HashChain, openBytes, SEGMENT_EVENTS } from '../chain.ts'
import { AppendFailed, type Entry, type Journal, JournalClosed } from '../journal.ts'
import { entry } from './entries.ts'

const SMALL = { segmentEvents: 4 }

type Open = (options: { segmentEvents?: number }) => Promise<Journal>
type Rule = (title: string, run: (journal: Journal) => Promise<void>, options?: typeof SMALL) => void

/** The tests that every implementation of the journal passes. `open` creates an empty journal. */
export function journalSuite(name: string, open: Open) {
  const rule: Rule = (title, run, options) => {
    test(`${name}: ${title}`, async () => {
      const journal = await open(options ?? {})
      await run(journal).finally(() => journal.close())
    })
  }
  orderRules(rule)
  hashRules(rule, open)
  contentRules(rule)
  refusalRules(rule)
  forkRules(rule)
}

function orderRules(rule: Rule) {
  rule('an empty journal is at number 0 and has no events', async (journal) => {
    assert.deepEqual(journal.head(), new HashChain().position)
    assert.equal(journal.head().seq, 0)
    assert.deepEqual(await all(journal), [])
  })

  rule('events are read in order, independent of their groups', async (journal) => {
    for (const group of grouped(events(20), [1, 7, 3, 9])) await journal.append(group)
    assert.equal(journal.head().seq, 20)
    assert.deepEqual(await all(journal), events(20))
  })

  for (const after of [0, 1, 3, 4, 5, 9, 12, 20]) {
    rule(`reading after ${after} starts with the next event`, async (journal) => {
      for (const group of grouped(events(20), [1, 7, 3, 9])) await journal.append(group)
      assert.deepEqual(await all(journal, after), events(20).slice(after))
    })
  }
}

function hashRules(rule: Rule, open: Open) {
  for (const groups of [[20], [1, 7, 3, 9], [4, 4, 4, 4, 4], [3, 5, 12], Array(20).fill(1)]) {
    rule(
      `groups of ${groups} do not change the hash of the events`,
      async (journal) => {
        for (const group of grouped(events(20), groups)) await journal.append(group)
        assert.equal(journal.head().hash, hashOf(20))
        for (let seq = 0; seq <= 20; seq++) assert.equal(await journal.hashAt(seq), hashOf(seq), `at ${seq}`)
      },
      SMALL,
    )
  }

  rule('the hash covers every open part', async (journal) => {
    await journal.append([entry('{"n":1}'), entry('{"n":2}')])
    const other = await open({})
    await other.append([entry('{"n":1}'), entry('{"n":3}')])
    assert.notEqual(journal.head().hash, other.head().hash)
    await other.close()
  })

  rule('sealed parts are stored and not hashed', async (journal) => {
    const entries = [entry('{"n":1}', '{"digest":"a b"}'), entry('{"n":2}'), entry('{"n":3}', '""')]
    await journal.append(entries)
    assert.deepEqual(await all(journal), entries)
    const other = await open({})
    await other.append(entries.map(({ open }) => ({ open })))
    assert.equal(journal.head().hash, other.head().hash)
    await other.close()
  })
}

function contentRules(rule: Rule) {
  rule('any bytes are read back unchanged', async (journal) => {
    const texts = [
      '',
      'ñandú',
      '東京',
      '🪢',
      '\u2028',
      '"\\',
      'a\nb\u0000c\u001equipu 0001',
      'x'.repeat(127),
      'x'.repeat(128),
      'x'.repeat(16_383),
      'x'.repeat(16_384),
      '\0'.repeat(5_000),
      'x'.repeat(70_000),
    ]
    const entries = texts.map((text) => entry(text, text))
    await journal.append(entries)
    assert.deepEqual(await all(journal), entries)
  })

  rule('a group may be large', async (journal) => {
    const entries = events(150_000)
    await journal.append(entries.slice(0, 3))
    await journal.append(entries.slice(3))
    assert.equal(journal.head().seq, 150_000)
    assert.deepEqual(await all(journal, 149_998), entries.slice(149_998))
    largeHash ??= hashOf(150_000, SEGMENT_EVENTS)
    assert.equal(journal.head().hash, largeHash)
  })

  rule('an empty group changes nothing', async (journal) => {
    await journal.append([])
    assert.deepEqual(journal.head(), new HashChain().position)
  })

  rule('reading ends at the head at the time of the call', async (journal) => {
    await journal.append(events(2))
    const reading = journal.read(0)
    await journal.append(events(5).slice(2))
    assert.deepEqual(await collect(reading), events(2))
  })
}

function refusalRules(rule: Rule) {
  rule('a closed journal rejects every call', async (journal) => {
    await journal.append(events(1))
    await journal.close()
    await assert.rejects(journal.append(events(1)), isCertain)
    assert.throws(() => journal.head(), JournalClosed)
    assert.throws(() => journal.read(0), JournalClosed)
    await assert.rejects(journal.fork(), JournalClosed)
    await assert.rejects(journal.hashAt(0), JournalClosed)
  })
}

function forkRules(rule: Rule) {
  for (const at of [undefined, 0, 3, 4, 5, 8, 9]) {
    rule(
      `a fork at ${at ?? 'the head'} is independent of its parent`,
      async (journal) => {
        for (const group of grouped(events(10), [3, 6, 1])) await journal.append(group)
        const fork = await journal.fork(at)
        const shared = at ?? 10
        assert.deepEqual(fork.head(), { seq: shared, hash: hashOf(shared) })
        await journal.append([entry('only the parent')])
        await fork.append([entry('only the fork')])
        assert.deepEqual(await all(fork), [...events(shared), entry('only the fork')])
        assert.deepEqual(await all(journal), [...events(10), entry('only the parent')])
        const second = await fork.fork(shared)
        await journal.close()
        await fork.close()
        assert.deepEqual(await all(second), events(shared))
        assert.equal(second.head().hash, hashOf(shared))
      },
      SMALL,
    )
  }

  rule('a fork after the head is rejected', async (journal) => {
    await journal.append(events(2))
    await assert.rejects(journal.fork(3), RangeError)
  })
}

export function isCertain(error: unknown): boolean {
  return error instanceof AppendFailed && error.certain
}

/** Events that contain their number. */
export function events(count: number): Entry[] {
  return Array.from({ length: count }, (_, index) => {
    const open = JSON.stringify({ kind: 'example', number: index + 1 })
    return index % 5 === 2 ? entry(open, `sealed ${index + 1}`) : entry(open)
  })
}

/** The hash of the first `count` events, added one by one. */
/** The same for every store of a process. */
let largeHash: string | undefined

export function hashOf(count: number, segmentEvents = SMALL.segmentEvents): string {
  const chain = new HashChain(segmentEvents)
  for (const entry of events(count)) chain.update(openBytes([entry]), 1)
  return chain.position.hash
}

export function grouped(entries: readonly Entry[], sizes: readonly number[]): Entry[][] {
  let start = 0
  return sizes.map((size) => entries.slice(start, (start += size)))
}

export function all(journal: Journal, after = 0): Promise<Entry[]> {
  return collect(journal.read(after))
}

export async function collect(batches: AsyncIterable<readonly Entry[]>): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const batch of batches) for (const entry of batch) entries.push(entry)
  return entries
}
