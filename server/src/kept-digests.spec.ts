import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { digestOf, KeptDigests } from './kept-digests.ts'

function counted() {
  const asked: string[] = []
  const digests = new KeptDigests((text) => {
    asked.push(text)
    return digestOf(text)
  })
  return { digests, asked }
}

test('a secret that was right is digested once', () => {
  const { digests, asked } = counted()
  assert.equal(digests.of('right'), digestOf('right'))
  digests.wasRight()
  assert.equal(digests.of('right'), digestOf('right'))
  assert.deepEqual(asked, ['right'])
})

test('a secret that nobody called right is digested every time', () => {
  const { digests, asked } = counted()
  digests.of('right')
  digests.of('wrong')
  digests.wasRight()
  digests.of('right')
  assert.deepEqual(asked, ['right', 'wrong', 'right'])
})

test('whoever is found again was right once: it says nothing of the text asked for before', () => {
  const { digests, asked } = counted()
  digests.of('right')
  digests.wasRight()
  digests.of('other')
  digests.of('right')
  digests.wasRight()
  digests.of('other')
  assert.deepEqual(asked, ['right', 'other', 'other'])
})

const alike = [
  ['ab', 'ba'],
  ['ab', 'ab\0'],
  ['', '\0'],
  ['a', 'b'],
  ['aa', 'a'],
  ['\u0100', '\u0001'],
  ['a'.repeat(128), 'a'.repeat(129)],
] as const
for (const [right, other] of alike)
  test(`${JSON.stringify(right).slice(0, 20)} is not taken for ${JSON.stringify(other).slice(0, 20)}`, () => {
    const { digests } = counted()
    for (const [one, two] of [
      [right, other],
      [other, right],
    ] as const) {
      digests.of(one)
      digests.wasRight()
      assert.equal(digests.of(two), digestOf(two))
    }
  })

test('whatever was kept, every text has its own digest', () => {
  const digests = new KeptDigests()
  const text = fc.string({ unit: 'binary', maxLength: 140 })
  fc.assert(
    fc.property(fc.array(fc.tuple(text, fc.boolean())), (texts) => {
      for (const [one, isRight] of [...texts, ...texts]) {
        assert.equal(digests.of(one), digestOf(one))
        if (isRight) digests.wasRight()
      }
    }),
  )
})

test('the memory of them is bounded', () => {
  const { digests, asked } = counted()
  const name = (number: number) => `secret ${number}`
  for (let number = 0; number <= 10_000; number++) {
    digests.of(name(number))
    digests.wasRight()
  }
  asked.length = 0
  digests.of(name(10_000))
  digests.of(name(0))
  assert.deepEqual(asked, [name(0)])
})
