# The survey: docker build -t ordlink . && docker run -p 8765:8765 -v ./study:/study ordlink
FROM python:3.13-slim AS build
COPY . /source
RUN python -m venv /opt/ordlink \
    && /opt/ordlink/bin/pip install --no-cache-dir '/source[collect,postgres]'

FROM python:3.13-slim
COPY --from=build /opt/ordlink /opt/ordlink
ENV PATH=/opt/ordlink/bin:$PATH \
    NUMBA_CACHE_DIR=/tmp/numba \
    PYTHONUNBUFFERED=1
RUN useradd --uid 1000 --create-home study && mkdir /study && chown study /study
USER study
WORKDIR /study
EXPOSE 8765
HEALTHCHECK CMD ["python", "-c", "import socket; socket.create_connection(('127.0.0.1', 8765), 3).close()"]
ENTRYPOINT ["ordlink"]
CMD ["collect", "study.yaml", "--host", "0.0.0.0"]
