import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../process/log.ts'
import { openTestWorld } from '../world/testing/world.ts'
import { hintAtSymbol } from './hints.ts'

function kept() {
  const lines: string[] = []
  return { lines, log: createLog({ level: 'debug', readable: true, write: (text) => lines.push(text) }) }
}

test('a symbol that is not there is hinted at, with the nearest that is', async () => {
  const { world } = await openTestWorld()
  const { log, lines } = kept()
  hintAtSymbol(log, world, 'APPL')
  log.flush()
  assert.match(lines.join(), /did you mean AAPL/)
  await world.close()
})

test('a world that is down has no market to look in: no hint, and nobody is harmed', async () => {
  const { world } = await openTestWorld()
  await world.close()
  const { log, lines } = kept()
  hintAtSymbol(log, world, 'APPL')
  log.flush()
  assert.deepEqual(lines, [])
})
