import { type LoggedRequest, type OperationName, routes } from '@quipu/sdk'
import { requestSentence, symbolOf } from '../../format/request-sentence.ts'

/** `PKGX…HMKU` */
export const shortKey = (key: string): string =>
  key.length <= 9 ? key : `${key.slice(0, 4)}…${key.slice(-4)}`

/** A path without the world, which the screen names, and with short ids. */
export const shortPath = (path: string): string =>
  path
    .replace(/^\/sim\/v1\/worlds\/[^/]+\//, '/sim/v1/…/')
    .replaceAll(/([0-9a-f]{8})-[0-9a-f-]{27}/g, '$1…')
    .replaceAll(/([0-9a-z]{2}[0-9a-f]{6})[0-9a-f]{24}/g, '$1…')

/** `0.7`, `12`, `1,360`: tenths below 10 ms. */
export const tookText = (ms: number): string =>
  ms < 10 ? ms.toFixed(1) : Math.round(ms).toLocaleString('en-US')

const templateOf = ({ operation }: LoggedRequest): string | undefined =>
  routes[operation as OperationName]?.path

/** `Buy 300 NVDA refused: opposite order` */
export function sentenceOf(request: LoggedRequest): string {
  const found = sentences.get(request)
  if (found !== undefined) return found
  const sentence = requestSentence(request, templateOf(request))
  sentences.set(request, sentence)
  return sentence
}

const sentences = new WeakMap<LoggedRequest, string>()

export const symbolAbout = (request: LoggedRequest): string | undefined =>
  symbolOf(request, templateOf(request))

const sources: Readonly<Record<NonNullable<LoggedRequest['source']>, string>> = {
  dashboard: 'Dashboard',
  app: 'App',
  cli: 'Command line',
  program: 'Program',
}
export const sourceNames = Object.entries(sources)

/** The kind of program that sent a request. */
export const sourceWord = ({ source }: Pick<LoggedRequest, 'source'>): string =>
  source === undefined ? '–' : sources[source]

/** Reads of the dashboard, and what it asks by itself: its token. */
export const isBackground = ({ source, method, operation }: LoggedRequest): boolean =>
  source === 'dashboard' &&
  (method === 'GET' || operation === 'issueSessionToken' || operation === 'previewOrder')

const clockOperations = /clock/i

/** Requests that read or move a clock. */
export const isOfClock = ({ operation }: LoggedRequest): boolean => clockOperations.test(operation ?? '')
