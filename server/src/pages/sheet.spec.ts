import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cookieIn, cookieKind, csrfOf, isCsrf, setCookie } from '@quipu/broker/access/cookies.ts'
import { html } from './html.ts'
import { sheet, sheetSource } from './sheet.ts'
import { dollarText, durationText, externalLink, hostOf, timeElement } from './words.ts'

const sources: readonly (readonly [string, string])[] = [
  ['https://app.example/callback?a=b', 'https://app.example'],
  ['https://app.example:8443/', 'https://app.example:8443'],
  ['https://APP.example/', 'https://app.example'],
  ['http://localhost:8080/callback', 'http://localhost:8080'],
  ['http://127.0.0.1:41920/cb', 'http://127.0.0.1:41920'],
  ['http://[::1]:41920/cb', 'http:'],
  ['com.example.app:/callback', 'com.example.app:'],
  ["https://app.example;script-src 'unsafe-inline'/", 'https:'],
  ['https://bücher.example/', 'https://xn--bcher-kva.example'],
]
for (const [uri, source] of sources)
  test(`a form may redirect to ${uri} by the source ${source}`, () => assert.equal(sheetSource(uri), source))

test('a value cannot break out of the policy', () => {
  const { headers } = sheet({ title: 'x', main: html``, redirectsTo: "https://a.example; img-src *; x'/" })
  const policy = headers[headers.indexOf('Content-Security-Policy') + 1]
  assert.match(policy ?? '', /form-action 'self' https:; frame-ancestors/)
})

test('markup in a title is escaped', () => {
  const { html: text } = sheet({ title: '</title><script>', main: html`<h1>x</h1>` })
  assert.match(text, /<title>&#60;\/title&#62;&#60;script&#62; · Quipu<\/title>/)
})

const money: readonly (readonly [bigint, string])[] = [
  [0n, '$0.00'],
  [1_000_000_000n, '$1.00'],
  [999_990_000_000n, '$999.99'],
  [1_234_567_891_234_567n, '$1,234,567.89'],
  [19_999_999n, '$0.01'],
  [-1n, '−$0.01'],
  [-1_500_000_000_000n, '−$1,500.00'],
]
for (const [amount, words] of money)
  test(`${amount} is ${words}`, () =>
    assert.equal(dollarText(amount as Parameters<typeof dollarText>[0]), words))

const instants: readonly (readonly [bigint, string])[] = [
  [1_793_631_600_000_000_000n, '2 November 2026, 15:00 UTC'],
  [0n, '1 January 1970, 00:00 UTC'],
  [951_782_399_999_999_999n, '28 February 2000, 23:59 UTC'],
  [951_782_400_000_000_000n, '29 February 2000, 00:00 UTC'],
]
for (const [at, words] of instants)
  test(`${at} is ${words}`, () =>
    assert.ok(timeElement(at as Parameters<typeof timeElement>[0]).markup.includes(words)))

const waits: readonly (readonly [number, string])[] = [
  [1, '1 second'],
  [89, '89 seconds'],
  [90, '2 minutes'],
  [300, '5 minutes'],
]
for (const [seconds, words] of waits)
  test(`${seconds} s are ${words}`, () => assert.equal(durationText(seconds), words))

const links: readonly (readonly [string, boolean])[] = [
  ['https://app.example', true],
  ['HTTP://app.example', true],
  ['javascript:alert(1)', false],
  ['data:text/html,x', false],
  ['//evil.example', false],
  ['', false],
]
for (const [url, isLink] of links)
  test(`${url || 'nothing'} is ${isLink ? 'a link' : 'text'}`, () =>
    assert.equal(externalLink(url, 'x').markup.includes('href'), isLink))

test('the host of a URL is shown, or the whole URL', () => {
  assert.deepEqual(['https://app.example/x', 'com.example.app:/callback', 'nonsense'].map(hostOf), [
    'app.example',
    'com.example.app:/callback',
    'nonsense',
  ])
})

const value = 'A'.repeat(43)
const HTTP = 'http://127.0.0.1:7878'
const HTTPS = 'https://broker.example'
const cookies: readonly (readonly [string | undefined, boolean, string | undefined])[] = [
  [undefined, false, undefined],
  ['', false, undefined],
  [`quipu_session=${value}`, false, value],
  [`a=b; quipu_session=${value}; c=d`, false, value],
  [`quipu_session=${value}`, true, undefined],
  [`__Host-quipu_session=${value}`, true, value],
  [`xquipu_session=${value}`, false, undefined],
  ['quipu_session=short', false, undefined],
  [`quipu_session=${value}"`, false, undefined],
]
for (const [header, isSecure, then] of cookies)
  test(`the session cookie in ${header} over ${isSecure ? 'https' : 'http'} is ${then ? 'read' : 'ignored'}`, () =>
    assert.equal(cookieIn(header, cookieKind('session', isSecure ? HTTPS : HTTP)), then))

test('a cookie has its security attributes', () => {
  assert.equal(
    setCookie(cookieKind('form', HTTPS), 'x'),
    '__Host-quipu_form=x; Path=/; HttpOnly; SameSite=Lax; Secure',
  )
  assert.equal(
    setCookie(cookieKind('session', HTTP), '', 0),
    'quipu_session=; Path=/oauth; HttpOnly; SameSite=Lax; Max-Age=0',
  )
  assert.match(setCookie(cookieKind('form', `${HTTP}/broker/`), 'x'), /; Path=\/broker\/oauth;/)
})

test('a CSRF token belongs to one cookie, and does not reveal it', () => {
  assert.ok(isCsrf(value, csrfOf(value)))
  for (const token of [undefined, '', value, csrfOf('B'.repeat(43)), `${csrfOf(value)}x`])
    assert.ok(!isCsrf(value, token))
  assert.ok(!csrfOf(value).includes(value))
})
