export { useIsLive, useLive } from './use-live.ts'
