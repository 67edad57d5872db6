import { effect, type Signal, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { operator } from '../session/connections.ts'
import { worldName } from '../session/selection.ts'
import { current } from './current.ts'
import { repeat } from './repeat.ts'

/** Data that an operation returns, read again when something changed. */
export type Reading<Value> = {
  /** undefined before the first response. */
  readonly value: Signal<Value | undefined>
  /** Why the last read failed. */
  readonly problem: Signal<Error | undefined>
  readonly read: () => Promise<void>
  readonly clear: () => void
}

export function reading<Value>(load: () => Promise<Value>): Reading<Value> {
  const [value, problem] = [signal<Value | undefined>(undefined), signal<Error | undefined>(undefined)]
  let newest = 0
  return {
    value,
    problem,
    async read() {
      const number = ++newest
      try {
        const loaded = await load()
        // An older response never replaces a newer one.
        if (number === newest) [value.value, problem.value] = [loaded, undefined]
      } catch (error) {
        if (number === newest) problem.value = error as Error
      }
    },
    clear() {
      newest += 1
      value.value = undefined
      problem.value = undefined
    },
  }
}

/** Readings follow a busy world at most this often. */
const PAUSE_MS = 1000

/**
 * Reads at the start, when the viewer returns to the page, when a broken connection is back, and when the audit log of
 * the world has a new row. The log is a stream, so nothing polls. A screen that shows the log passes how it follows it.
 */
export function useReadings(readings: readonly Reading<unknown>[], follow: FollowLog = followAuditLog): void {
  const world = worldName.value
  useEffect(() => {
    for (const one of readings) one.clear()
    const closing = new AbortController()
    const readAll = () => {
      for (const one of readings) void one.read()
    }
    addEventListener('focus', readAll, { signal: closing.signal })
    follow(world, closing.signal, calm(readAll, closing.signal))
    const stop = onReconnect(readAll)
    return () => {
      stop()
      closing.abort()
    }
  }, [world, ...readings])
}

/** Calls when the stream of the account is live again after a break. Returns a function that ends this. */
export function onReconnect(run: () => void): () => void {
  let wasStale = false
  return effect(() => {
    const isStale = current.value?.store.orderStream.staleSince.value !== undefined
    if (wasStale && !isStale) run()
    wasStale = isStale
  })
}

/**
 * Calls when it knows where the audit log of a world ends, or cannot read it, and then for each new row. What is read
 * before that would miss the rows between it and the end.
 */
export type FollowLog = (world: string, signal: AbortSignal, changed: () => void) => void

export const followAuditLog: FollowLog = (world, signal, changed) => {
  void repeat(signal, async () => {
    const { seq } = await operator().client.getJournalHead({ params: { world } }, { signal }).finally(changed)
    const from = { params: { world }, query: { cursor: String(seq) } }
    for await (const _ of operator().events.listAuditLog(from as never, { signal })) changed()
  })
}

/** Runs at once, then at most once per pause, and always after the last call. */
export function calm(run: () => void, signal: AbortSignal): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isWanted = false
  const start = () => {
    isWanted = false
    run()
    timer = setTimeout(() => {
      timer = undefined
      if (isWanted && !signal.aborted) start()
    }, PAUSE_MS)
  }
  return () => {
    if (signal.aborted) return
    if (timer === undefined) start()
    else isWanted = true
  }
}
