import { constants, getPriority, setPriority } from 'node:os'
import type { Ready } from './contender-process.ts'
import { load } from './load.ts'
import { anOrder, CONNECTIONS } from './quipu-process.ts'

/** Clients that send without pause, in a separate process so that they do not delay the measuring process. */
let over = false
process.once('message', async (ready: Ready) => {
  // Real clients run on other machines, so these run at a lower priority.
  setPriority(Math.min(getPriority() + 5, constants.priority.PRIORITY_LOW))
  process.once('message', () => {
    over = true
  })
  const { statuses } = await load(ready, anOrder, {
    connections: CONNECTIONS,
    calls: Number.POSITIVE_INFINITY,
    isOver: () => over,
  })
  process.send!([...statuses])
  process.disconnect()
})
