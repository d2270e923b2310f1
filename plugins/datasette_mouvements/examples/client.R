# Read the movements, or keep a copy of them that stays right. R 4.1 or later, with curl and jsonlite.

library(curl)
library(jsonlite)

USAGE <- 'Rscript client.R search "chambre=senat&type=depart"    every movement that matches, one a line; "" is all
Rscript client.R copy movements.json                   make or update a copy: run it once a day

MOUVEMENTS_URL and MOUVEMENTS_KEY say where, and with which key.'
SERVICE <- sub("/+$", "", Sys.getenv("MOUVEMENTS_URL"))
KEY <- Sys.getenv("MOUVEMENTS_KEY")
SECONDS <- as.numeric(Sys.getenv("MOUVEMENTS_TIMEOUT", "60"))
TRIES <- 6

as_text <- function(body) {
  text <- rawToChar(body)
  Encoding(text) <- "UTF-8"
  text
}

as_json <- function(value) enc2utf8(as.character(toJSON(value, auto_unbox = TRUE)))

# A header's value, "" where there is none; names are in lower case.
header <- function(answer, name) {
  value <- parse_headers_list(answer$headers)[[name]]
  if (is.null(value)) "" else value
}

# The answer, with status 200, 304 or 410; waits as long as it is told to.
ask <- function(address, etag = "") {
  for (attempt in seq_len(TRIES)) {
    wait <- 2^(attempt - 1)
    handle <- new_handle(timeout_ms = SECONDS * 1000)
    handle_setheaders(handle, "Authorization" = paste("Bearer", KEY))
    if (nzchar(etag)) {
      handle_setheaders(handle, "Authorization" = paste("Bearer", KEY), "If-None-Match" = etag)
    }
    # NULL: no connection, too slow, cut off.
    answer <- tryCatch(curl_fetch_memory(address, handle), error = function(error) NULL)
    if (!is.null(answer)) {
      if (answer$status_code %in% c(200, 304, 410)) return(answer)
      if (!answer$status_code %in% c(429, 502, 503, 504)) {
        stop(answer$status_code, ": ", as_text(answer$content)) # it says what is wrong
      }
      told <- header(answer, "retry-after")
      if (grepl("^[0-9]+$", told)) wait <- as.numeric(told) # of a used quota: to midnight
    }
    message("again in ", wait, " s")
    Sys.sleep(wait)
  }
  stop("no answer after ", TRIES, " tries")
}

read_json_body <- function(answer) fromJSON(as_text(answer$content), simplifyVector = FALSE)

# Every movement of a search, all of one version of the data, in pages as long as there are.
search_movements <- function(query) {
  asked <- Filter(function(one) !startsWith(one, "limit="), strsplit(enc2utf8(query), "&", fixed = TRUE)[[1]])
  asked <- URLencode(paste(c(asked, "limit=500"), collapse = "&"))
  for (times in seq_len(TRIES)) {
    pages <- list()
    version <- ""
    address <- paste0(SERVICE, "/v1/mouvements?", asked)
    while (nzchar(address)) {
      answer <- ask(address)
      told <- header(answer, "mouvements-version")
      if (!version %in% c("", told)) break # published meanwhile: rows may be doubled or missing
      version <- told
      pages[[length(pages) + 1]] <- read_json_body(answer)$mouvements
      following <- regmatches(
        header(answer, "link"), regexec('<([^>]*)>; rel="next"', header(answer, "link"))
      )[[1]]
      address <- if (length(following)) following[2] else ""
    }
    if (!nzchar(address)) return(do.call(c, pages))
  }
  stop("published again and again meanwhile")
}

# A new copy, from the whole file, which says at which place of the feed it stands.
whole <- function() {
  answer <- ask(paste0(SERVICE, "/fichiers/tout"))
  path <- tempfile(fileext = ".zip")
  on.exit(unlink(path))
  writeBin(answer$content, path)
  file <- unz(path, "mouvements.ndjson", encoding = "UTF-8")
  lines <- readLines(file, encoding = "UTF-8")
  close(file)
  movements <- fromJSON(paste0("[", paste(lines, collapse = ","), "]"), simplifyVector = FALSE)
  names(movements) <- vapply(movements, function(movement) movement$id, "")
  list(curseur = header(answer, "mouvements-curseur"), etag = "", mouvements = movements)
}

# The copy brought up to date; NULL if its cursor is gone, and it must begin anew.
follow <- function(copy) {
  repeat {
    query <- paste0("/v1/changements?curseur=", copy$curseur, "&limit=500")
    answer <- ask(paste0(SERVICE, query), copy$etag)
    if (answer$status_code == 304) return(copy) # nothing new, and nothing charged
    if (answer$status_code == 410) return(NULL)
    body <- read_json_body(answer)
    # A withdrawn movement has none, and NULL takes it out of the list.
    for (change in body$changements) copy$mouvements[[change$id]] <- change$mouvement
    # The tag is that of this place: it is of use only where the answer has not moved on.
    copy$etag <- if (identical(body$curseur, copy$curseur)) header(answer, "etag") else ""
    copy$curseur <- body$curseur
    copy$licence <- body$licence
    copy$attribution <- body$attribution
    if (!body$encore) return(copy)
  }
}

# Make or update the copy at `path`, whose place is taken at once by the next.
keep <- function(path) {
  copy <- NULL
  if (file.exists(path)) copy <- follow(fromJSON(path, simplifyVector = FALSE))
  if (is.null(copy)) copy <- follow(whole())
  if (is.null(copy)) stop("restored meanwhile: try again")
  writeLines(as_json(copy), paste0(path, ".new"), useBytes = TRUE)
  file.rename(paste0(path, ".new"), path)
  cat(length(copy$mouvements), "movements\n")
}

arguments <- commandArgs(trailingOnly = TRUE)
called <- length(arguments) == 2 && arguments[1] %in% c("search", "copy")
if (!called || !nzchar(SERVICE) || !nzchar(KEY)) {
  message(USAGE)
  quit(status = 1)
}
if (arguments[1] == "search") {
  for (movement in search_movements(arguments[2])) writeLines(as_json(movement), useBytes = TRUE)
} else {
  keep(arguments[2])
}
