import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { FlushTick, Outbox } from './outbox.ts'

/** A socket whose peer reads only when the test calls `read`; empty writes complete at once. */
function slowSocket() {
  const writes: string[] = []
  const pending: (() => void)[] = []
  const socket = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (chunk.length === 0) return done()
      writes.push(chunk.toString())
      pending.push(done)
    },
  })
  return { socket, writes, read: () => pending.shift()?.() }
}

function outboxOn(socket: Writable, bytesMax: number, tick = new FlushTick()) {
  const state = { overflows: 0, open: true }
  const outbox = new Outbox({
    socket,
    isOpen: () => state.open,
    tick,
    bytesMax,
    overflowed: () => (state.overflows += 1),
  })
  return { outbox, state }
}

const push = (outbox: Outbox, ...texts: string[]) => {
  for (const text of texts) outbox.push(Buffer.from(text))
}

test('all frames of one turn are sent in one write', async () => {
  const { socket, writes } = slowSocket()
  const { outbox } = outboxOn(socket, 100)
  push(outbox, 'a', 'b', 'c')
  assert.deepEqual(writes, [])
  await turn()
  assert.deepEqual(writes, ['abc'])
})

test('writes to thousands of clients are spread over several turns, each once and in order', async () => {
  const tick = new FlushTick()
  const written: number[] = []
  for (let n = 0; n < 2000; n++) {
    const socket = new Writable({ write: (_chunk, _encoding, done) => done(void written.push(n)) })
    push(outboxOn(socket, 100, tick).outbox, 'a', 'b')
  }
  await turn()
  assert.ok(written.length > 0 && written.length < 500, `${written.length} in the first turn`)
  for (let turns = 0; turns < 20; turns++) await turn()
  assert.deepEqual(
    written,
    Array.from({ length: 2000 }, (_, n) => n),
  )
})

test('while a write is pending, frames collect for the next one', async () => {
  const { socket, writes, read } = slowSocket()
  const { outbox } = outboxOn(socket, 100)
  push(outbox, 'a')
  await turn()
  push(outbox, 'b')
  await turn()
  push(outbox, 'c')
  await turn()
  assert.deepEqual(writes, ['a'])
  read()
  await turn()
  assert.deepEqual(writes, ['a', 'bc'])
})

test('pending bytes count towards the limit, and a frame above the limit is dropped', async () => {
  const { socket, writes, read } = slowSocket()
  const { outbox, state } = outboxOn(socket, 4)
  push(outbox, 'aa')
  await turn()
  push(outbox, 'bb')
  assert.equal(state.overflows, 0)
  push(outbox, 'c')
  assert.equal(state.overflows, 1)
  assert.equal(outbox.bytes, 4)
  read()
  await turn()
  assert.deepEqual(writes, ['aa', 'bb'])
})

test('a last frame replaces the waiting frames', async () => {
  const { socket, writes, read } = slowSocket()
  const { outbox } = outboxOn(socket, 100)
  push(outbox, 'a')
  await turn()
  push(outbox, 'b', 'c')
  outbox.pushLast(Buffer.from('too slow'))
  read()
  await turn()
  assert.deepEqual(writes, ['a', 'too slow'])
})

test('drained resolves when nothing is waiting or pending', async () => {
  const { socket, read } = slowSocket()
  const { outbox } = outboxOn(socket, 100)
  await outbox.drained()
  push(outbox, 'a')
  let done = false
  const sent = outbox.drained().then(() => (done = true))
  push(outbox, 'b')
  read()
  await turn()
  assert.equal(done, false)
  read()
  await sent
  assert.equal(outbox.bytes, 0)
})

test('a closed outbox resolves drained and accepts no frames', async () => {
  const { socket, writes } = slowSocket()
  const { outbox } = outboxOn(socket, 100)
  push(outbox, 'a')
  await turn()
  const sent = outbox.drained()
  outbox.close()
  await sent
  push(outbox, 'b')
  await turn()
  assert.deepEqual(writes, ['a'])
})

test('nothing is sent after a close frame', async () => {
  const { socket, writes } = slowSocket()
  const { outbox, state } = outboxOn(socket, 100)
  push(outbox, 'a')
  state.open = false
  await turn()
  assert.deepEqual(writes, [])
  assert.equal(outbox.bytes, 0)
})

test('a write that completes at once leaves nothing pending', async () => {
  const socket = new Writable({ write: (_chunk, _encoding, done) => done() })
  const { outbox } = outboxOn(socket, 100)
  push(outbox, 'a', 'b')
  outbox.tick()
  assert.equal(outbox.bytes, 0)
  await outbox.drained()
})

test('drained resolves when the write that it starts completes at once', async () => {
  const socket = new Writable({ write: (_chunk, _encoding, done) => done() })
  const { outbox } = outboxOn(socket, 100)
  push(outbox, 'a')
  await outbox.drained()
  assert.equal(outbox.bytes, 0)
})
