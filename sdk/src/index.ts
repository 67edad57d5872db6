export { type ClientOptions, createClient } from './client.ts'
export type * from './contract.ts'
export {
  ApiError,
  AuthError,
  NetworkError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ValidationError,
} from './errors.ts'
export type { FollowOptions } from './follow.ts'
export type { Credential } from './request.ts'
export { createStreams, type Streams } from './streams.ts'
