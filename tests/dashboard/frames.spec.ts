import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { collect, inLaterFrame, inNextFrame } from '../../web/src/live/frames.ts'

/** Frames of a browser that draws when the test says so. Returns a function that draws one, if one was asked for. */
function frames(t: TestContext): () => boolean {
  let asked: (() => void) | undefined
  const globals = {
    document: { hidden: false },
    requestAnimationFrame: (run: () => void) => {
      asked = run
    },
  }
  Object.assign(globalThis, globals)
  t.after(() => {
    for (const name of Object.keys(globals)) Reflect.deleteProperty(globalThis, name)
  })
  t.mock.timers.enable({ apis: ['setTimeout'] })
  return () => {
    const run = asked
    asked = undefined
    run?.()
    return run !== undefined
  }
}

test('a change that can wait is drawn in the frame of the next change, and alone after 100 ms', (t) => {
  const draw = frames(t)
  const drawn: string[] = []
  inLaterFrame(() => drawn.push('clock'))
  t.mock.timers.tick(60)
  assert.equal(draw(), false)
  inNextFrame(() => drawn.push('snapshot'))
  assert.equal(draw(), true)
  assert.deepEqual(drawn.splice(0), ['snapshot', 'clock'])
  t.mock.timers.tick(1000)
  assert.equal(draw(), false)
  inLaterFrame(() => drawn.push('tint'))
  inLaterFrame(() => drawn.push('trades'))
  t.mock.timers.tick(100)
  assert.equal(draw(), true)
  assert.deepEqual(drawn, ['tint', 'trades'])
})

test('messages that come too often wait for a pause, and then for the next frame', (t) => {
  const draw = frames(t)
  const passed: number[][] = []
  const take = collect<number>((items) => passed.push([...items]), 200)
  take(1)
  take(2)
  draw()
  assert.deepEqual(passed, [[1, 2]])
  take(3)
  inNextFrame(() => undefined)
  draw()
  assert.deepEqual(passed, [[1, 2]])
  t.mock.timers.tick(200)
  assert.equal(draw(), false)
  take(4)
  inNextFrame(() => undefined)
  draw()
  assert.deepEqual(passed, [
    [1, 2],
    [3, 4],
  ])
})
