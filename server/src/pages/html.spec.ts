import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Html, type HtmlPiece, html } from './html.ts'

const rows: readonly (readonly [string, HtmlPiece, string])[] = [
  ['text', 'plain', 'plain'],
  ['markup in text', '<script>alert(1)</script>', '&#60;script&#62;alert(1)&#60;/script&#62;'],
  ['quotes', `"'`, '&#34;&#39;'],
  ['an entity', '&amp;', '&#38;amp;'],
  ['a number', 5, '5'],
  ['nothing', undefined, ''],
  ['no', false, ''],
  ['markup', html`<b>${'<'}</b>`, '<b>&#60;</b>'],
  ['a list', [html`<i></i>`, '<', 1], '<i></i>&#60;1'],
  ['a list in a list', [['a'], [undefined]], 'a'],
]
for (const [name, piece, then] of rows)
  test(`${name} in a page`, () => assert.equal(html`${piece}`.markup, then))

test('text cannot break out of an attribute', () => {
  assert.equal(html`<a href="${'" onclick="alert(1)'}">`.markup, '<a href="&#34; onclick=&#34;alert(1)">')
})

test('only Html is markup: text that looks like markup is escaped', () => {
  const fake = { markup: '<script>' } as unknown as Html
  assert.ok(!(fake instanceof Html))
  assert.throws(() => html`${fake}`.markup)
})
