# The command line and the collector, linked statically, and nothing else: neither a shell nor a C library. cli/archive.sh builds
# them, and packs the folder from which the image is made. No base image is fetched.
#
#   cli/archive.sh && docker build --tag textveil .
#   docker run --rm --interactive --network none textveil privatize < notes.txt
FROM scratch
ARG TARGET=x86_64-unknown-linux-musl
COPY target/programs/textveil-*-${TARGET}/textveil target/programs/textveil-*-${TARGET}/textveil-collector /bin/
COPY target/programs/textveil-*-${TARGET}/LICENSE-* /licenses/
COPY target/programs/textveil-*-${TARGET}/notices /licenses/notices/
# A folder for inputs, results and the collector's database, which the user below owns.
COPY --chown=65532:65532 target/programs/textveil-*-${TARGET}/data /data
ENV PATH=/bin TMPDIR=/data
WORKDIR /data
USER 65532:65532
ENTRYPOINT ["textveil"]
