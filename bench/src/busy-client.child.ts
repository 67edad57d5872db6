import { constants, getPriority, setPriority } from 'node:os'
import type { Ready } from './contender-process.ts'
import { load } from './load.ts'
import { anOrder, CONNECTIONS } from './quipu-process.ts'

/** Clients that send without pause, in a separate process so that they do not delay the measuring process. */
let over = false
process.once('message', async (ready: Ready | readonly Ready[]) => {
  // Real clients run on other machines, so these run at a lower priority.
  setPriority(Math.min(getPriority() + 5, constants.priority.PRIORITY_LOW))
  process.once('message', () => {
    over = true
  })
  const worlds = [ready].flat()
  const connections = worlds.length === 1 ? CONNECTIONS : 1
  const calls = Number.POSITIVE_INFINITY
  const responses = await Promise.all(
    worlds.map((world) => load(world, anOrder, { connections, calls, isOver: () => over })),
  )
  const statuses = new Map<number, number>()
  for (const response of responses)
    for (const [status, count] of response.statuses) statuses.set(status, (statuses.get(status) ?? 0) + count)
  process.send!([...statuses])
  process.disconnect()
})
