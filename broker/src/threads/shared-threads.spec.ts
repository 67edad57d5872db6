import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SharedThreads } from './shared-threads.ts'

type ThreadResponse = readonly [user: string, message: unknown, thread: number]

/** Opens a user of the thread that the module beside this one runs. */
function openUser(threads: SharedThreads, user: string) {
  const responses: ThreadResponse[] = []
  const deaths: unknown[] = []
  let answered = () => {}
  const link = threads.open<string, ThreadResponse>(import.meta.url, 'testing/shared.child', user, {
    onMessage(response) {
      responses.push(response)
      answered()
    },
    onDeath(error) {
      deaths.push(error)
      answered()
    },
  })
  const next = () => new Promise<void>((resolve) => (answered = resolve))
  return { link, responses, deaths, next }
}

test('users share one thread, get their own responses, and end apart', async () => {
  const threads = new SharedThreads()
  const [a, b] = [openUser(threads, 'a'), openUser(threads, 'b')]
  a.link.post('1')
  b.link.post('2')
  await a.link.finish('end')
  b.link.post('3')
  await b.link.finish('end')
  const thread = a.responses[0]![2]
  assert.deepEqual(a.responses, [['a', '1', thread]])
  assert.deepEqual(b.responses, [
    ['b', '2', thread],
    ['b', '3', thread],
  ])
  assert.deepEqual([...a.deaths, ...b.deaths], [])
})

test('after the last user, and after a death that every user is informed of, a new thread starts', async () => {
  const threads = new SharedThreads()
  const first = openUser(threads, 'first')
  first.link.post('1')
  await first.link.finish('end')
  const [a, b] = [openUser(threads, 'a'), openUser(threads, 'b')]
  const both = Promise.all([a.next(), b.next()])
  a.link.post('die')
  await both
  for (const { deaths } of [a, b]) assert.deepEqual(deaths.map(String), ['Error: died'])
  const last = openUser(threads, 'last')
  last.link.post('2')
  await last.link.finish('end')
  assert.notEqual(last.responses[0]![2], first.responses[0]![2])
  assert.deepEqual(last.deaths, [])
})

test('a user that is stopped gets nothing more, and others continue', async () => {
  const threads = new SharedThreads()
  const [a, b] = [openUser(threads, 'a'), openUser(threads, 'b')]
  await a.link.stop()
  b.link.post('1')
  await b.link.finish('end')
  assert.equal(b.responses.length, 1)
  assert.deepEqual([...a.responses, ...a.deaths, ...b.deaths], [])
})
