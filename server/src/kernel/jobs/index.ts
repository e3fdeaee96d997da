export { addJob } from './add-job.ts'
export { defineJob, type Job, type JobContext, type JobProgress, type JobRequest } from './job.ts'
