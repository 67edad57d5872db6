import { pageRedirect } from '../connection/host.ts'
import type { Exchange } from '../exchange.ts'
import { sendResponse } from '../send.ts'
import type { Services } from '../services.ts'
import { isKnownTag } from './entity-tag.ts'
import { hasEmptyPart, type WebFile } from './web-files.ts'

/** The dashboard may load only its own files and call only this server. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'self'",
].join('; ')

const documentHeaders = [
  'Content-Security-Policy',
  policy,
  'Referrer-Policy',
  'same-origin',
  'X-Frame-Options',
  'DENY',
  'Cross-Origin-Opener-Policy',
  'same-origin',
] as const

const YEAR = 'public, max-age=31536000, immutable'

/**
 * Answers a GET for which no operation exists: a file of the dashboard or the documentation, or a page for a person who
 * followed a wrong address. Returns undefined for programs, which get JSON.
 */
export function answerWeb(services: Services, exchange: Exchange): Promise<void> | undefined {
  const {
    request,
    url: { path, query },
  } = exchange
  const { method, headers } = request
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const file = services.web.find(path)
  const isForPerson = headers.accept?.includes('text/html') === true
  if (file === undefined && !isForPerson && path !== '/') return undefined
  exchange.operation = 'web'
  const isDocument = file === undefined || file.type.startsWith('text/html')
  const location =
    isDocument && !hasEmptyPart(path)
      ? pageRedirect(request, services, query === '' ? path : `${path}?${query}`)
      : undefined
  if (location !== undefined) {
    sendResponse(services, exchange, 303, undefined, undefined, ['Location', location])
    return Promise.resolve()
  }
  return file === undefined
    ? sendElsewhere(services, exchange)
    : sendFile(services, exchange, file, isDocument)
}

/** Relative links of a page need its address without a slash at the end. */
async function sendElsewhere(services: Services, exchange: Exchange): Promise<void> {
  const { path, query } = exchange.url
  const [, name] = /\/([^/]+)\/$/.exec(path) ?? []
  if (name === undefined || services.web.find(path.slice(0, -1)) === undefined)
    return sendProblem(services, exchange)
  const location = query === '' ? `../${name}` : `../${name}?${query}`
  return sendResponse(services, exchange, 308, undefined, undefined, ['Location', location])
}

async function sendFile(
  services: Services,
  exchange: Exchange,
  file: WebFile,
  isDocument: boolean,
): Promise<void> {
  const { headers: requested } = exchange.request
  const tag = `"${file.hash}"`
  exchange.draft.cacheControl = file.immutable ? YEAR : 'no-cache'
  const headers = ['ETag', tag, 'Vary', 'Accept-Encoding', ...(isDocument ? documentHeaders : [])]
  if (isKnownTag(requested, tag)) return sendResponse(services, exchange, 304, undefined, undefined, headers)
  const { bytes, encoding } = await services.web.bytesOf(file, String(requested['accept-encoding'] ?? ''))
  if (encoding !== undefined) headers.push('Content-Encoding', encoding)
  sendResponse(services, exchange, 200, bytes, file.type, headers)
}

async function sendProblem(services: Services, exchange: Exchange): Promise<void> {
  const { web } = services
  const { beingBuiltPage, notBuiltPage, wrongAddressPage } = await import('../../pages/web-problem-page.ts')
  const pageOf = web.isBuilt ? wrongAddressPage : web.isBeingBuilt ? beingBuiltPage : notBuiltPage
  const page = pageOf(exchange.url.path)
  sendResponse(services, exchange, page.status, page.html, 'text/html; charset=utf-8', page.headers)
}
