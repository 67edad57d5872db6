import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { sentenceExamples } from '../testing/sentence-examples.table.ts'
import { refusalSentence, type StepCode, sentences, type Values } from './sentences.table.ts'

for (const [code, examples] of Object.entries(sentenceExamples))
  for (const [values, sentence] of examples)
    test(`${code} ${JSON.stringify(values)}`, () => {
      assert.equal(sentences[code as StepCode](values), sentence)
      assertFromNumbers(sentence, values)
    })

/** Every amount, time and id of a sentence is one of its numbers. */
function assertFromNumbers(sentence: string, values: Values): void {
  const known = Object.values(values).flatMap((value) => value.split(','))
  for (const [token] of sentence.matchAll(/[\w./:-]*\d[\w./:-]*/g))
    assert.ok(known.includes(token.replace(/[.:,]$/, '')), `${token} in: ${sentence}`)
}

test('the sentence of a refusal', () => {
  assert.equal(
    refusalSentence({ message: 'insufficient buying power' }),
    'Refused: insufficient buying power.',
  )
  assert.equal(
    refusalSentence({ method: 'POST', path: '/v2/orders', status: '422', reason: 'invalidParameter' }),
    'POST /v2/orders was answered 422, invalidParameter, before any order rule was checked.',
  )
})

test('the guide lists every code with the numbers that its sentences show', () => {
  const guide = readFileSync(new URL('../../../../../docs/guides/explain.md', import.meta.url), 'utf8')
  const lines = guide.split('\n').filter((line) => line.startsWith('| `'))
  for (const [code, examples] of Object.entries(sentenceExamples)) {
    const line = lines.find((text) => text.split('|')[1]!.includes(`\`${code}\``))
    assert.ok(line !== undefined, `the guide does not list ${code}`)
    for (const [values, sentence] of examples)
      for (const name of shown(code as StepCode, values, sentence))
        assert.ok(line.includes(`\`${name}\``), `the guide does not list ${name} of ${code}`)
  }
})

/** The names of the numbers that change a sentence. */
const shown = (code: StepCode, values: Values, sentence: string): readonly string[] =>
  Object.keys(values).filter((name) => {
    const { [name]: _, ...others } = values
    try {
      return sentences[code](others) !== sentence
    } catch {
      return true
    }
  })
