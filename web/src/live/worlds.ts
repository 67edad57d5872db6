import { effect } from '@preact/signals'
import type { WorldsMessage } from '@quipu/sdk'
import { operator } from '../session/connections.ts'
import { worldName, worlds } from '../session/selection.ts'
import { isOperator } from '../session/session.ts'
import { advances, clock, takeClock } from './clock.ts'
import { takeFaults } from './faults.ts'
import { collect } from './frames.ts'
import { followShared } from './shared-stream.ts'

/** Follows all worlds and their clocks while the viewer has operator rights. */
export function followWorlds(): void {
  effect(() => {
    if (!isOperator.value) {
      worlds.value = undefined
      return undefined
    }
    const closing = new AbortController()
    void follow(closing.signal)
    return () => closing.abort()
  })
  // The stream sends a clock when it changes; another world on screen needs its own at once.
  effect(() => {
    if (!isOperator.value || clock.value?.world === worldName.value) return
    const params = { world: worldName.value }
    operator()
      .client.getWorldClock({ params })
      .then(takeClock, () => undefined)
  })
}

async function follow(signal: AbortSignal): Promise<void> {
  const take = collect<WorldsMessage>((messages) => {
    for (const message of messages) takeMessage(message)
  })
  await followShared<WorldsMessage>(signal, {
    name: 'worlds',
    open: (options) => operator().events.listWorlds({}, options),
    take,
    opened: () => {
      // The clock may have moved and stopped meanwhile.
      if (worlds.peek() !== undefined) advances.value += 1
    },
  })
}

function takeMessage(message: WorldsMessage): void {
  const known = worlds.value ?? []
  switch (message.event) {
    case 'worlds':
      worlds.value = message.data
      return
    case 'world': {
      const { data } = message
      const isNew = !known.some(({ world }) => world === data.world)
      worlds.value = isNew ? [...known, data] : known.map((one) => (one.world === data.world ? data : one))
      return
    }
    case 'deleted':
      worlds.value = known.filter(({ world }) => world !== message.data.world)
      return
    case 'faults':
      takeFaults(message.data.world, message.data.faults)
      return
    case 'clock':
      takeClock(message.data)
      return
    case 'advanced':
      worlds.value = known.map((one) =>
        one.world === message.data.world ? { ...one, seq: message.data.seq } : one,
      )
      return
    default:
      message satisfies never
  }
}
