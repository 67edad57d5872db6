import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import type { WorldId } from '@quipu/core'
import { createLog } from '../process/log.ts'
import { Admission } from './admission.ts'
import { Moves } from './moves.ts'
import type { TableView } from './table-view.ts'

const WORLD = 'friday' as WorldId
const log = createLog({ level: 'error', readable: true, write: () => undefined })

/** A node that answers every task with this status. */
async function startNode(name: string, status: number) {
  const tasks: string[] = []
  const server = createServer(({ url }, response) => {
    tasks.push(url!.split('/').at(-1)!)
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
    others: [refusing, accepting],
    get held() {
      return isOpen ? [WORLD] : []
    },
    countOf: (node: string) => (node === 'a' ? 0 : 1),
    read: async () => undefined,
  } as unknown as TableView
  const parts = {
    ...{ name: 'c', secret: 'any', log, isOpen: () => isOpen, inMemory: () => [] },
    handOver: async () => {
      isOpen = false
      return 0
    },
  }
  await new Moves(parts, new Admission(), view).leave(5_000)
  assert.deepEqual([refusing.tasks, accepting.tasks], [['prepare'], ['prepare', 'claim']])
})

test('a world is handed over when the requests that have begun are over', async () => {
  const target = await startNode('b', 200)
  const view = { others: [target], read: async () => undefined } as unknown as TableView
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
  const moved = new Moves(parts, admission, view).moveAway(WORLD, 'b')
  let isOver = false
  const setOver = () => void (isOver = true)
  moved.then(setOver, setOver)
  while (!admission.isClosed(WORLD) && !isOver) await new Promise(setImmediate)
  isAnswered = true
  request.end()
  assert.deepEqual(await moved.then(({ to }) => to), 'b')
  assert.deepEqual(target.tasks, ['prepare', 'claim'])
})
