# Operator, API, command line and example provider in one image; the first argument names the program.
#   NODE_IMAGE   base of the image, with Node 24 at /nodejs/bin/node: distroless, by digest, for releases
#   BUILD_IMAGE  Node 24, npm and a shell; nothing of it is in the image
#   SOURCE_DATE_EPOCH  seconds of the commit: the same sources give the same digest (with --timestamp)
# `npm run image` passes all of them.
ARG NODE_IMAGE
ARG BUILD_IMAGE

FROM ${NODE_IMAGE} AS base
# DNS lookups share the pool of libuv, whose default of 4 threads a slow name server fills.
ENV NODE_ENV=production UV_THREADPOOL_SIZE=16 PATH=/app/bin:/nodejs/bin:/usr/local/bin:/usr/bin:/bin
# Not writable by the user: a core file finds no place either.
WORKDIR /app
USER 65532:65532
# No inspector by signal. The heap takes three quarters of the container's memory limit, the rest is for buffers, SQLite's
# pages and the young generation, which V8 would make tiny beside a percentage.
ENTRYPOINT ["/nodejs/bin/node", "--disable-proto=delete", "--disable-sigusr1", "--max-old-space-size-percentage=75", \
  "--max-semi-space-size=8", "--v8-pool-size=1", "/app/dist/image/main.js"]

FROM ${BUILD_IMAGE} AS compiled
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=secret,id=npmrc --mount=type=cache,target=/var/cache/npm \
  npm ci --userconfig /run/secrets/npmrc --ignore-scripts --no-audit --no-fund --cache /var/cache/npm
# .dockerignore lists what this is.
COPY . .
RUN npm run -s build

FROM ${BUILD_IMAGE} AS app
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=secret,id=npmrc --mount=type=cache,target=/var/cache/npm \
  npm ci --userconfig /run/secrets/npmrc --ignore-scripts --omit=dev --no-audit --no-fund --cache /var/cache/npm
COPY --from=base /nodejs/bin/node /base/node
COPY hack/image /tools
ARG SOURCE_DATE_EPOCH
RUN node /tools/finish.ts /base/node "${SOURCE_DATE_EPOCH}" && rm package-lock.json .npmrc
COPY LICENSE ./
COPY image/bin bin
COPY manifests manifests
# Whatever the umask of the checkout was.
RUN chmod -R u=rwX,go=rX LICENSE bin manifests package.json sbom.cdx.json

FROM base
ARG VERSION
ARG REVISION
LABEL org.opencontainers.image.title="Orb platform" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# Two layers: packages change less often than our own code.
COPY --from=app /app /app
COPY --from=compiled /src/dist /app/dist
