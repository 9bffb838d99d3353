# The image is the installed package on a Node.js, and nothing that was needed to make it. The first stage packs and
# installs; the second takes what was installed. No install script runs: SQLite is the one that Node.js brings.
ARG BUILD_BASE=docker.io/library/node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
ARG BASE=docker.io/library/node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d

FROM ${BUILD_BASE} AS installed
WORKDIR /checkout
COPY . .
RUN npm ci --ignore-scripts --no-audit --no-fund \
 && npm pack --pack-destination /tmp \
 && npm install --global --prefix /installed --ignore-scripts --no-audit --no-fund --omit=dev /tmp/test-idp-*.tgz

FROM ${BASE}
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="test-idp" \
      org.opencontainers.image.source="https://github.com/test-idp/test-idp" \
      org.opencontainers.image.documentation="https://github.com/test-idp/test-idp#readme" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# Nothing is installed in a running container, so what could do that is not there.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn* /opt/yarn* \
 && ln -s ../lib/node_modules/test-idp/dist/cli.js /usr/local/bin/test-idp
COPY --from=installed /installed/lib/node_modules /usr/local/lib/node_modules
# A new volume at /keys takes owner and mode from here, and where none is mounted whatever user the container has keeps its keys here.
RUN install -d -o 65532 -g 65532 -m 1777 /keys
# What is started here is reached from outside, unless --host, --mcp-port or the configuration says otherwise.
ENV IDP_DEFAULT_HOST=0.0.0.0 IDP_DEFAULT_MCP_PORT=8001
USER 65532:65532
WORKDIR /
EXPOSE 8000 8001
HEALTHCHECK --interval=5s --timeout=4s --start-period=10s CMD ["test-idp", "health"]
ENTRYPOINT ["test-idp"]
CMD ["start"]
