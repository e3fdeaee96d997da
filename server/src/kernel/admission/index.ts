export { Admission, Visit } from './admission.ts'
export { atOnce, inSlices, nextSlice } from './slices.ts'
export { Overloaded, Turnstile } from './turnstile.ts'
