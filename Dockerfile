# Two images: `service` (the default) serves with workers, as an unprivileged user, keys and quotas in the volume
# var/; `lists` makes the lists and the movements every morning, as compose.yaml's `daily` runs it.
# The movements are not in the image: mount the folder that holds movements.db on /app/data, read-only.
FROM python:3.13-slim-trixie AS wheel
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY plugins plugins
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.13-slim-trixie AS base
ENV PYTHONUNBUFFERED=1
WORKDIR /app
# The folder first: a named volume takes over its owner.
RUN useradd --system --uid 10001 --home-dir /app mouvements \
    && install --directory --owner=mouvements --mode=0750 /app/var

FROM base AS lists
# The daily run keeps lists in git. Debian offers one version of it at a time: a pinned one would vanish.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/*
COPY --from=wheel /wheels /wheels
COPY constraints.txt ./
RUN pip install --no-cache-dir --constraint constraints.txt "$(ls /wheels/*.whl)[deploy,lists]"
USER 10001

FROM base AS service
COPY --from=wheel /wheels /wheels
COPY constraints.txt metadata.yml ./
RUN pip install --no-cache-dir --constraint constraints.txt "$(ls /wheels/*.whl)[deploy,postgres]"
USER 10001
VOLUME ["/app/var"]
EXPOSE 8001
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8001/-/mouvements/etat', timeout=4)"]
CMD ["datasette", "mouvements", "serve", "--host", "0.0.0.0", "--port", "8001", "--workers", "2", "--db", "data/movements.db", "--internal", "var/internal.sqlite3"]
