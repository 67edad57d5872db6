import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import type { WorldId } from '@quipu/core'
import { createLog } from '../log/log.ts'
import type { Queries } from '../postgres/connection.ts'
import { MAIN } from '../registry/opening/open-main.ts'
import { Admission } from './admission.ts'
import { NotMoved } from './ask-node.ts'
import { Moves } from './moves.ts'
import { TableView } from './table-view.ts'

const WORLD = 'friday' as WorldId
const log = createLog({ level: 'error', readable: true, write: () => undefined })

/** As the database returns it. */
const MAIN_ROW = { world: MAIN, record: null, taken_at: null, seq: '0', fence: '1', lease: null, late: false }

/** No world is stuck. */
const fine = {
  isOpening: () => false,
  isChanging: () => false,
  isStuck: () => false,
  giveUp: async () => undefined,
}

/** All nodes run. */
const running = { whileRunning: () => new AbortController().signal }

/** A node that answers every task with this status, perhaps later. */
async function startNode(name: string, status: number, wait?: (task: string) => Promise<void>) {
  const tasks: string[] = []
  const server = createServer(async ({ url }, response) => {
    const task = url!.split('/').at(-1)!
    tasks.push(task)
    await wait?.(task)
    response.writeHead(status).end('{"message":"does not have the imported data"}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  return { name, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, tasks }
}

test('a node that drains moves a world to another node if the first one refuses it', async () => {
  const refusing = await startNode('a', 409)
  const accepting = await startNode('b', 200)
  let isOpen = true
  const view = {
    nodes: {
      ...running,
      others: [refusing, accepting],
      countOf: (node: string) => (node === 'a' ? 0 : 1),
    },
    get held() {
      return isOpen ? [WORLD] : []
    },
    read: async () => undefined,
  } as unknown as TableView
  const parts = {
    ...{ name: 'c', secret: 'any', log, isOpen: () => isOpen, inMemory: () => [] },
    handOver: async () => {
      isOpen = false
      return 0
    },
  }
  await new Moves(parts, new Admission(), view, fine).leave(5_000)
  assert.deepEqual([refusing.tasks, accepting.tasks], [['prepare'], ['prepare', 'claim']])
})

test('a world is handed over when the requests that have begun are over', async () => {
  const target = await startNode('b', 200)
  const view = {
    nodes: { ...running, others: [target] },
    held: [WORLD],
    read: async () => undefined,
  } as unknown as TableView
  const admission = new Admission()
  const request = admission.of(WORLD)
  let isAnswered = false
  const parts = {
    ...{ name: 'a', secret: 'any', log, isOpen: () => true, inMemory: () => [] },
    handOver: async () => {
      assert.equal(isAnswered, true)
      assert.equal(admission.isClosed(WORLD), true)
      return 0
    },
  }
  request.begin()
  const moved = new Moves(parts, admission, view, fine).moveAway(WORLD, 'b')
  let isOver = false
  const setOver = () => void (isOver = true)
  moved.then(setOver, setOver)
  while (!admission.isClosed(WORLD) && !isOver) await new Promise(setImmediate)
  isAnswered = true
  request.end()
  assert.deepEqual(await moved.then(({ to }) => to), 'b')
  assert.deepEqual(target.tasks, ['prepare', 'claim'])
})

test('requests are admitted again while the target of a move has not claimed the world', async (t) => {
  const admission = new Admission()
  const asked = Promise.withResolvers<void>()
  const response = Promise.withResolvers<void>()
  t.after(() => response.resolve())
  const target = await startNode('b', 200, async (task) => {
    if (task !== 'claim') return
    asked.resolve()
    await response.promise
  })
  const view = {
    nodes: { ...running, others: [target] },
    held: [WORLD],
    read: async () => undefined,
  } as unknown as TableView
  const parts = {
    ...{ name: 'a', secret: 'any', log, isOpen: () => true, inMemory: () => [], handOver: async () => 0 },
  }
  const moves = new Moves(parts, admission, view, fine)
  const moved = moves.moveAway(WORLD, 'b')
  await Promise.race([asked.promise, moved])
  assert.deepEqual([admission.isClosed(WORLD), moves.isMoving(WORLD)], [false, true])
  response.resolve()
  await moved
})

/** The node `a`, which has the lease of a world that it does not have open. */
async function withoutWorld(state: { isChanging: boolean; isStuck: boolean }) {
  const target = await startNode('b', 200)
  const row = { world: WORLD, holder: { name: 'a', address: 'http://a' } }
  const read = async () => undefined
  const table = { worlds: [row], nodes: [{ ...row.holder, failures: { [WORLD]: 'has been opening it' } }] }
  const view = {
    nodes: { ...running, others: [target], countOf: () => 0 },
    held: [WORLD],
    row: () => row,
    table,
    read,
  } as unknown as TableView
  const parts = {
    ...{ name: 'a', secret: 'any', log, isOpen: () => false, inMemory: () => [] },
    handOver: () => Promise.reject(new Error('the world is not open')),
  }
  const given: unknown[] = []
  const claims = {
    isOpening: () => false,
    isChanging: () => state.isChanging,
    isStuck: () => state.isStuck,
    giveUp: async (...one: readonly unknown[]) => void given.push(one),
  }
  return { target, row, given, moves: new Moves(parts, new Admission(), view, claims) }
}

test('a world that has the lease of this node and is not open is given up to the target', async () => {
  const { target, row, given, moves } = await withoutWorld({ isChanging: false, isStuck: false })
  assert.deepEqual(await moves.moveAway(WORLD, 'b').then(({ to }) => to), 'b')
  assert.deepEqual(given, [[row, target]])
  assert.deepEqual(target.tasks, ['prepare', 'claim'])
})

test('a world that this node opens or changes is not moved', async () => {
  const { target, given, moves } = await withoutWorld({ isChanging: true, isStuck: false })
  await assert.rejects(moves.moveAway(WORLD, 'b'), new NotMoved('node a opens or changes friday; try again'))
  moves.moveNext()
  assert.deepEqual([given, target.tasks], [[], []])
})

test('a move to the node that has the lease is refused if the world is not open there', async () => {
  const { row, moves } = await withoutWorld({ isChanging: false, isStuck: true })
  const problem = 'node a holds friday, but has been opening it; move it to another node'
  await assert.rejects(moves.move(WORLD, row.holder), new NotMoved(problem))
})

for (const isFree of [true, false])
  test(`a world without a node is ${isFree ? '' : 'not '}claimed by the target of a move`, async () => {
    const target = await startNode('b', 200)
    const row = { world: WORLD }
    const view = {
      nodes: running,
      row: () => row,
      isFree: () => isFree,
      read: async () => undefined,
    } as unknown as TableView
    const parts = {
      ...{ name: 'a', secret: 'any', log, isOpen: () => false, inMemory: () => [], handOver: async () => 0 },
    }
    const moved = new Moves(parts, new Admission(), view, fine).move(WORLD, target)
    if (isFree) assert.deepEqual(await moved.then(({ from, to }) => [from, to]), [null, 'b'])
    else await assert.rejects(moved, new NotMoved('no node holds friday at the moment; try again'))
    assert.deepEqual(target.tasks, isFree ? ['claim'] : [])
  })

test('a move does not wait for a node that has left the table', { timeout: 20_000 }, async (t) => {
  const lost = {
    name: 'b',
    address: 'http://b',
    version: '1',
    draining: false,
    failures: {},
    startedAt: new Date(0),
  }
  const asked = Promise.withResolvers<void>()
  const response = Promise.withResolvers<void>()
  t.after(() => response.resolve())
  const target = await startNode('b', 200, () => {
    asked.resolve()
    return response.promise
  })
  const world = { ...MAIN_ROW, holder: 'a', address: 'http://a', held: true }
  let nodes = [{ ...lost, address: target.address }]
  const query = async ({ name }: { readonly name: string }) => ({ rows: name === 'nodes' ? nodes : [world] })
  const queries = () => ({ query }) as unknown as Queries
  const view = new TableView({ name: 'a', queries, isOpen: () => true })
  await view.read()
  const parts = {
    ...{ name: 'a', secret: 'any', log, isOpen: () => true, inMemory: () => [], handOver: async () => 0 },
  }
  const moved = new Moves(parts, new Admission(), view, fine).moveAway(MAIN, 'b')
  const failed = assert.rejects(
    moved,
    /node http.* did not answer: it does not renew its entry in the database/,
  )
  await Promise.race([asked.promise, failed])
  nodes = []
  await view.read()
  await failed
})
