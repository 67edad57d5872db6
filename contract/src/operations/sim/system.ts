import { operation } from '../../operation.ts'
import { oneOf, optional, record, text } from '../../shape/index.ts'

const shared = {
  family: 'system',
  method: 'GET',
  who: ['anyone'],
  scope: 'never',
  status: 200,
  state: 'works',
} as const

const html = 'text/html; charset=utf-8'

export const system = {
  getPage: operation({
    ...shared,
    path: '/',
    summary: 'Show the start page of the server.',
    raw: html,
    errors: [],
  }),
  getReference: operation({
    ...shared,
    path: '/docs',
    summary: 'Show this reference as a page.',
    raw: html,
    errors: [],
  }),
  getOpenApi: operation({
    ...shared,
    path: '/openapi.json',
    summary: 'Get this reference as an OpenAPI document.',
    raw: 'application/json',
    errors: [],
  }),
  getSecurityText: operation({
    ...shared,
    path: '/.well-known/security.txt',
    summary: 'Get the security contact of this server (RFC 9116).',
    raw: 'text/plain; charset=utf-8',
    errors: [],
  }),
  getHealth: operation({
    ...shared,
    path: '/healthz',
    probe: true,
    summary: 'Check that the process responds.',
    output: record({ status: oneOf('ok') }),
    errors: [],
  }),
  getReadiness: operation({
    ...shared,
    path: '/readyz',
    probe: true,
    summary: 'Check that the server accepts commands. Only main counts, not other worlds.',
    output: record({
      status: oneOf('ready'),
      warning: optional(text()).about(
        'Problem that an operator should look at, such as a clock that is behind.',
      ),
    }),
    errors: ['notReady'],
  }),
  getMetrics: operation({
    ...shared,
    who: ['anyone', 'operator'],
    path: '/metrics',
    summary: 'Get metrics in the Prometheus text format. Only operators see the metrics of each world.',
    raw: 'text/plain; version=0.0.4; charset=utf-8',
    errors: ['unauthorized'],
  }),
}
