import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '@quipu/broker/log/log.ts'
import { openTestWorld } from '@quipu/broker/world/testing/world.ts'
import { hintAtSymbol } from './hints.ts'

function openLog() {
  const lines: string[] = []
  return { lines, log: createLog({ level: 'debug', readable: true, write: (text) => lines.push(text) }) }
}

test('the log hints at an unknown symbol with the nearest known one', async () => {
  const { world } = await openTestWorld()
  const { log, lines } = openLog()
  hintAtSymbol(log, world, 'APPL')
  log.flush()
  assert.match(lines.join(), /did you mean AAPL/)
  await world.close()
})

test('a stopped world has no market, so an unknown symbol gets no hint', async () => {
  const { world } = await openTestWorld()
  await world.close()
  const { log, lines } = openLog()
  hintAtSymbol(log, world, 'APPL')
  log.flush()
  assert.deepEqual(lines, [])
})
