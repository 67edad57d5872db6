import { constants, getPriority, setPriority } from 'node:os'
import type { Ready } from './contender-process.ts'
import { load } from './load.ts'
import { anOrder, CONNECTIONS } from './quipu-process.ts'

/** Clients that never rest, in a process of their own: their work must not delay who measures. */
let over = false
process.once('message', async (ready: Ready) => {
  // They would be on other machines: of this one they take what is left.
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
