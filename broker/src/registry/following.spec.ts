import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Command, WorldId } from '@quipu/core'
import type { Entry } from '../journal/journal.ts'
import { entry } from '../journal/testing/entries.ts'
import type { World } from '../world/world.ts'
import { Following } from './following.ts'

/** A world that has copied this many events, and a followed one whose journal the test replaces. */
function follow(copied: number) {
  const read: number[] = []
  let failing: number | undefined
  const submitted: Command[] = []
  let length = 0
  const world = {
    id: 'follower',
    view: { followed: { seq: copied } },
    commands: { submit: async (command: Command) => submitted.push(command) },
  }
  const journal = async function* (after: number): AsyncGenerator<readonly Entry[]> {
    for (let seq = after + 1; seq <= length; seq++) {
      read.push(seq)
      if (seq === failing) {
        failing = undefined
        throw new Error('on purpose')
      }
      yield [entry('accountOpened')]
    }
  }
  let attempts = 0
  const thirdAttempt = Promise.withResolvers<void>()
  const stored = async () => {
    attempts += 1
    if (attempts === 3) thirdAttempt.resolve()
    return { seq: length, read: journal }
  }
  const worlds = { get: () => undefined, stored }
  const following = new Following(world as unknown as World, 'leader' as WorldId, worlds, {
    failed: () => undefined,
  })
  const copyUpTo = async (seq: number): Promise<readonly number[]> => {
    length = seq
    await following.copy()
    return read.splice(0)
  }
  /** Copies as a server does, with a failure at this event, until a further attempt has ended. */
  const runUpTo = async (seq: number): Promise<readonly number[]> => {
    length = seq
    failing = seq
    const running = following.run()
    await thirdAttempt.promise
    following.stop()
    await running
    return read.splice(0)
  }
  return { copyUpTo, runUpTo }
}

test('each event of the followed world is read once', async () => {
  const { copyUpTo } = follow(3)
  assert.deepEqual(await copyUpTo(5), [4, 5])
  assert.deepEqual(await copyUpTo(5), [])
  assert.deepEqual(await copyUpTo(6), [6])
})

// Such as after the promotion of a standby that was not synchronous.
test('after a loss, events that have the numbers of lost ones are read', async () => {
  const { copyUpTo } = follow(3)
  await copyUpTo(9)
  assert.deepEqual(await copyUpTo(6), [4, 5, 6])
})

test('a follower does not continue after a loss of events that it has copied', async () => {
  const { copyUpTo } = follow(3)
  await assert.rejects(copyUpTo(2), /the journal of leader lost its end: 3 events were copied, it has 2/)
})

test('after a failure, a follower begins again after its last copy', async () => {
  const { runUpTo } = follow(3)
  assert.deepEqual(await runUpTo(5), [4, 5, 4, 5])
})
