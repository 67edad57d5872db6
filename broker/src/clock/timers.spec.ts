import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Instant } from '@quipu/core'
import { Timers } from './timers.ts'

const at = (n: number) => BigInt(n) as Instant

function runDue(timers: Timers, now: number): string[] {
  const ran: string[] = []
  for (let timer = timers.takeDue(at(now)); timer; timer = timers.takeDue(at(now)))
    ran.push(String(timer.run()))
  return ran
}

test('timers run by time, then by rank, then in the order set', () => {
  const timers = new Timers()
  const set = (due: number, rank: 'agenda' | 'market' | 'feed', name: string) =>
    timers.add(at(due), rank, () => name as never)
  set(2, 'feed', 'bar')
  set(2, 'market', 'quote')
  set(2, 'agenda', 'expiry')
  set(2, 'agenda', 'settlement')
  set(1, 'feed', 'earlier bar')
  assert.deepEqual(runDue(timers, 2), ['earlier bar', 'expiry', 'settlement', 'quote', 'bar'])
})

test('a timer that is not due stays, and a canceled one never runs', () => {
  const timers = new Timers()
  const canceled = timers.add(at(1), 'agenda', () => 'gone' as never)
  timers.add(at(1), 'agenda', () => 'kept' as never)
  timers.add(at(5), 'agenda', () => 'later' as never)
  timers.remove(canceled)
  timers.remove(canceled)
  assert.deepEqual(runDue(timers, 4), ['kept'])
  assert.equal(timers.first()?.due, at(5))
})
